// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Typed payloads of .nv.info records. One table says for every attribute which format NVIDIA's
// tools write, how the payload is laid out and which of its words are symbol indices; everything
// here follows the table. A payload that does not fit its row is not an error of this codec: it
// decodes as bytes, so that it can be written back, and check_record reports it.
#include "elf/records/nv_info.h"

#include <algorithm>
#include <fmt/format.h>

#include "base/bytes.h"

namespace culink::elf {

namespace {

using A = InfoAttribute;
using F = RecordFormat;
using S = InfoShape;
using Y = InfoSymbols;
using E = InfoEvidence;

constexpr std::array kInfoRows = {
    InfoRow{A::ImageSlot, F::Sized, S::SymbolWord, Y::First, E::Described},
    InfoRow{A::JumptableRelocs, F::Sized, S::Offsets, Y::None, E::Described},
    InfoRow{A::CtaidzUsed, F::NoValue, S::None, Y::None, E::Measured},
    InfoRow{A::MaxThreads, F::Sized, S::Dim3, Y::None, E::Measured},
    InfoRow{A::ImageOffset, F::Sized, S::SymbolWord, Y::First, E::Described},
    InfoRow{A::ImageSize, F::Sized, S::SymbolWord, Y::First, E::Described},
    InfoRow{A::TextureNormalized, F::Sized, S::SymbolWord, Y::First, E::Described},
    InfoRow{A::SamplerInit, F::Sized, S::SymbolWord, Y::First, E::Measured},
    InfoRow{A::ParamCbank, F::Sized, S::ParameterBank, Y::First, E::Measured},
    InfoRow{A::SmemParamOffsets, F::Sized, S::Words, Y::None, E::Described},
    InfoRow{A::CbankParamOffsets, F::Sized, S::Words, Y::None, E::Described},
    InfoRow{A::SyncStack, F::Sized, S::Words, Y::None, E::Described},
    InfoRow{A::TexidSampidMap, F::Sized, S::Words, Y::None, E::Described},
    InfoRow{A::Externs, F::Sized, S::Symbols, Y::All, E::Measured},
    InfoRow{A::Reqntid, F::Sized, S::Dim3, Y::None, E::Measured},
    InfoRow{A::FrameSize, F::Sized, S::SymbolWord, Y::First, E::Measured},
    InfoRow{A::MinStackSize, F::Sized, S::SymbolWord, Y::First, E::Measured},
    InfoRow{A::SamplerForceUnnormalized, F::Sized, S::SymbolWord, Y::First, E::Measured},
    InfoRow{A::BindlessImageOffsets, F::Sized, S::SymbolWords, Y::First, E::Described},
    InfoRow{A::BindlessTextureBank, F::Byte, S::Number8, Y::None, E::Measured},
    InfoRow{A::BindlessSurfaceBank, F::Byte, S::Number8, Y::None, E::Measured},
    InfoRow{A::KparamInfo, F::Sized, S::KernelParameter, Y::First, E::Measured},
    InfoRow{A::SmemParamSize, F::Half, S::Number16, Y::None, E::Described},
    InfoRow{A::CbankParamSize, F::Half, S::Number16, Y::None, E::Measured},
    InfoRow{A::MaxregCount, F::Half, S::Number16, Y::None, E::Measured},
    InfoRow{A::ExitInstrOffsets, F::Sized, S::Offsets, Y::None, E::Measured},
    InfoRow{A::S2rctaidInstrOffsets, F::Sized, S::Offsets, Y::None, E::Described},
    InfoRow{A::CrsStackSize, F::Sized, S::Word, Y::None, E::Measured},
    InfoRow{A::NeedCnpWrapper, F::NoValue, S::None, Y::None, E::Described},
    InfoRow{A::NeedCnpPatch, F::NoValue, S::None, Y::None, E::Described},
    InfoRow{A::ExplicitCaching, F::NoValue, S::None, Y::None, E::Described},
    InfoRow{A::IstypepUsed, F::NoValue, S::None, Y::None, E::Described},
    InfoRow{A::MaxStackSize, F::Sized, S::SymbolWord, Y::First, E::Measured},
    InfoRow{A::SuqUsed, F::NoValue, S::None, Y::None, E::Described},
    InfoRow{A::LdCachemodInstrOffsets, F::Sized, S::Offsets, Y::None, E::Described},
    InfoRow{A::LoadCacheRequest, F::Sized, S::SymbolWord, Y::First, E::Described},
    InfoRow{A::AtomSysInstrOffsets, F::Sized, S::Offsets, Y::None, E::Described},
    InfoRow{A::CoopGroupInstrOffsets, F::Sized, S::Offsets, Y::None, E::Measured},
    InfoRow{A::CoopGroupMaskRegids, F::Sized, S::Words, Y::None, E::Measured},
    InfoRow{A::Sw1850030War, F::NoValue, S::None, Y::None, E::Described},
    InfoRow{A::WmmaUsed, F::NoValue, S::None, Y::None, E::Measured},
    InfoRow{A::Atomf16EmulInstrOffsets, F::Sized, S::Offsets, Y::None, E::Described},
    InfoRow{A::Atom16EmulInstrRegMap, F::Sized, S::OffsetPairs, Y::None, E::Measured},
    InfoRow{A::Regcount, F::Sized, S::SymbolWord, Y::First, E::Measured},
    InfoRow{A::Sw2393858War, F::NoValue, S::None, Y::None, E::Described},
    InfoRow{A::IntWarpWideInstrOffsets, F::Sized, S::Offsets, Y::None, E::Measured},
    InfoRow{A::IndirectBranchTargets, F::Sized, S::BranchTargets, Y::None, E::Measured},
    InfoRow{A::Sw2861232War, F::NoValue, S::None, Y::None, E::Measured},
    InfoRow{A::SwWar, F::Sized, S::Word, Y::None, E::Measured},
    InfoRow{A::CudaApiVersion, F::Sized, S::Word, Y::None, E::Measured},
    InfoRow{A::NumMbarriers, F::Half, S::Number16, Y::None, E::Measured},
    InfoRow{A::MbarrierInstrOffsets, F::Sized, S::OffsetQuads, Y::None, E::Measured},
    InfoRow{A::CoroutineResumeIdOffsets, F::Sized, S::Offsets, Y::None, E::Described},
    InfoRow{A::SamRegionStackSize, F::Sized, S::SymbolWord, Y::First, E::Described},
    InfoRow{A::CtaPerCluster, F::Sized, S::Dim3, Y::None, E::Measured},
    InfoRow{A::ExplicitCluster, F::NoValue, S::None, Y::None, E::Measured},
    InfoRow{A::MaxClusterRank, F::Sized, S::Word, Y::None, E::Measured},
    InfoRow{A::InstrRegMap, F::Sized, S::OffsetTriples, Y::None, E::Measured},
    InfoRow{A::ReservedSmemUsed, F::NoValue, S::None, Y::None, E::Measured},
    InfoRow{A::ReservedSmem0Size, F::Sized, S::Word, Y::None, E::Described},
    InfoRow{A::UnusedLoadByteOffset, F::Sized, S::OffsetPairs, Y::None, E::Measured},
    InfoRow{A::KparamInfoV2, F::Sized, S::KernelParameter2, Y::First, E::Measured},
    InfoRow{A::SyscallOffsets, F::Sized, S::Offsets, Y::None, E::Measured},
    InfoRow{A::SwWarMembarSysInstrOffsets, F::Sized, S::Offsets, Y::None, E::Described},
    InfoRow{A::VrcCtaInitCount, F::Byte, S::Number8, Y::None, E::Measured},
    InfoRow{A::ToolsPatchFunc, F::NoValue, S::None, Y::None, E::Measured},
    InfoRow{A::NumBarriers, F::Byte, S::Number8, Y::None, E::Measured},
    InfoRow{A::TexmodeIndependent, F::NoValue, S::None, Y::None, E::Measured},
    InfoRow{A::AtEntryFragments, F::Sized, S::Words, Y::None, E::Measured},
    InfoRow{A::SparseMmaMask, F::Half, S::Number16, Y::None, E::Measured},
    InfoRow{A::Tcgen05OneCtaUsed, F::NoValue, S::None, Y::None, E::Measured},
    InfoRow{A::Tcgen05TwoCtaUsed, F::NoValue, S::None, Y::None, E::Measured},
    InfoRow{A::GenErrbarAtExit, F::NoValue, S::None, Y::None, E::Measured},
    InfoRow{A::RegReconfig, F::NoValue, S::None, Y::None, E::Measured},
    InfoRow{A::Annotations, F::Sized, S::Annotations, Y::None, E::Measured},
    InfoRow{A::StackCanaryTrapOffsets, F::Sized, S::Offsets, Y::None, E::Measured},
    InfoRow{A::StubFunctionKind, F::Half, S::Number16, Y::None, E::Measured},
    InfoRow{A::LocalCtaAsyncStoreOffsets, F::Sized, S::Offsets, Y::None, E::Described},
    InfoRow{A::MercuryFinalizerOptions, F::Sized, S::Opaque, Y::None, E::Measured},
    InfoRow{A::BlocksAreClusters, F::NoValue, S::None, Y::None, E::Measured},
    InfoRow{A::Sanitize, F::Half, S::Number16, Y::None, E::Measured},
    InfoRow{A::SyscallsFallback, F::Sized, S::Offsets, Y::None, E::Described},
    InfoRow{A::MercuryIsaVersion, F::Half, S::Number16, Y::None, E::Measured},
    InfoRow{A::Language, F::Sized, S::Words, Y::None, E::Measured},
    InfoRow{A::NvsalSwWar, F::Half, S::Number16, Y::None, E::Measured},
    InfoRow{A::PreexitUsed, F::Byte, S::Number8, Y::None, E::Measured},
};

constexpr bool ascending() {
  for (size_t i = 1; i < kInfoRows.size(); ++i)
    if (kInfoRows[i - 1].attribute >= kInfoRows[i].attribute)
      return false;
  return true;
}
static_assert(ascending());

// The row of each attribute, as an array, because linkers look it up for every record.
constexpr u8 kNoRow = 0xff;
constexpr std::array<u8, 256> kRowOf = [] {
  std::array<u8, 256> out{};
  out.fill(kNoRow);
  for (u8 i = 0; i < kInfoRows.size(); ++i)
    out[static_cast<u8>(kInfoRows[i].attribute)] = i;
  return out;
}();

std::vector<u32> words_of(ByteSpan payload) {
  std::vector<u32> words(payload.size() / 4);
  for (size_t i = 0; i < words.size(); ++i)
    words[i] = load_le<u32>(payload.data() + 4 * i);
  return words;
}

void append_words(std::vector<u8> &out, std::span<const u32> words) {
  for (const u32 word : words)
    append_le(out, word);
}

// Branches are (offset, kind, count, targets...); nothing when the counts do not fill the payload.
std::optional<InfoBranchTargets> branches_of(ByteSpan payload) {
  const std::vector<u32> words = words_of(payload);
  InfoBranchTargets out;
  size_t at = 0;
  while (at < words.size()) {
    if (words.size() - at < 3 || words[at + 2] > words.size() - at - 3)
      return std::nullopt;
    const auto first = words.begin() + static_cast<std::ptrdiff_t>(at) + 3;
    out.branches.push_back({words[at], words[at + 1], {first, first + words[at + 2]}});
    at += 3 + words[at + 2];
  }
  return out;
}

// An annotation at words[at], or nothing. `at` moves to its end.
std::optional<InfoAnnotation> annotation_at(ByteSpan payload, u64 &at) {
  InfoAnnotation out;
  u64 cursor = at;
  const auto next_word = [&] {
    const std::optional<u32> word = load_at<u32>(payload, cursor);
    cursor += 4;
    return word;
  };
  const std::optional<u32> kind = next_word();
  if (!kind || *kind < kAnnotationMark || *kind > kAnnotationOfFunction)
    return std::nullopt;
  out.kind = *kind;
  if (*kind != kAnnotationOfFunction) {
    const std::optional<u32> offset = next_word();
    if (!offset)
      return std::nullopt;
    out.offset = *offset;
  }
  if (*kind == kAnnotationMark) {
    at = cursor;
    return out;
  }
  const u32 size = next_word().value_or(0);
  const std::optional<ByteSpan> text = slice(payload, cursor, align_up(size, 4));
  if (size == 0 || !text)
    return std::nullopt;
  // The text ends with a NUL that counts, then come zeros that do not.
  if (std::ranges::any_of(text->subspan(size - 1), [](u8 byte) { return byte != 0; }))
    return std::nullopt;
  out.text = as_text(text->first(size - 1));
  at = cursor + text->size();
  return out;
}

std::optional<InfoAnnotations> annotations_of(ByteSpan payload) {
  InfoAnnotations out;
  u64 at = 0;
  while (at < payload.size()) {
    std::optional<InfoAnnotation> annotation = annotation_at(payload, at);
    if (!annotation)
      return std::nullopt;
    out.annotations.push_back(std::move(*annotation));
  }
  return out;
}

u32 columns_of(InfoShape shape) {
  return shape == S::OffsetPairs ? 2 : shape == S::OffsetTriples ? 3 : 4;
}

InfoKernelParameter parameter_of(ByteSpan payload) {
  const u32 word = load_le<u32>(payload.data() + 4);
  const u32 bits = load_le<u32>(payload.data() + 8);
  InfoKernelParameter out;
  out.index = load_le<u32>(payload.data());
  out.ordinal = static_cast<u16>(word);
  out.offset = static_cast<u16>(word >> 16);
  out.pointee_alignment = static_cast<u8>(bits);
  out.space = (bits >> 8) & 0xf;
  out.cbank = (bits >> 12) & 0x1f;
  out.parameter_space = ((bits >> 17) & 1) != 0;
  out.size = static_cast<u16>(bits >> 18);
  return out;
}

InfoKernelParameter2 parameter2_of(ByteSpan payload) {
  const u32 word = load_le<u32>(payload.data() + 4);
  const u32 bits = load_le<u32>(payload.data() + 8);
  InfoKernelParameter2 out;
  out.index = load_le<u32>(payload.data());
  out.ordinal = static_cast<u16>(word);
  out.offset = static_cast<u16>(word >> 16);
  out.size = static_cast<u16>(bits);
  out.pointee_alignment = static_cast<u8>(bits >> 16);
  out.space = (bits >> 24) & 0xf;
  out.high = static_cast<u8>(bits >> 28);
  return out;
}

// The payload sizes a shape allows.
bool fits(InfoShape shape, u64 size) {
  switch (shape) {
  case S::Opaque:
    return true;
  case S::None:
  case S::Number8:
  case S::Number16:
    return false;
  case S::Word:
    return size == 4;
  case S::Words:
  case S::Offsets:
  case S::Symbols:
  case S::BranchTargets:
  case S::Annotations:
    return size % 4 == 0;
  case S::OffsetPairs:
  case S::OffsetTriples:
  case S::OffsetQuads:
    return size % (4 * columns_of(shape)) == 0;
  case S::SymbolWord:
  case S::ParameterBank:
    return size == 8;
  case S::SymbolWords:
    return size >= 4 && size % 4 == 0;
  case S::Dim3:
  case S::KernelParameter:
  case S::KernelParameter2:
    return size == 12;
  }
  return false;
}

// Appends the payload of each kind of value.
struct PayloadWriter {
  std::vector<u8> &out;

  void operator()(const InfoNumber &v) const { append_le(out, v.value); }
  void operator()(const InfoWords &v) const { append_words(out, v.words); }
  void operator()(const InfoSymbolWord &v) const {
    append_le(out, v.symbol);
    append_le(out, v.value);
  }
  void operator()(const InfoSymbolWords &v) const {
    append_le(out, v.symbol);
    append_words(out, v.values);
  }
  void operator()(const InfoDim3 &v) const {
    append_le(out, v.x);
    append_le(out, v.y);
    append_le(out, v.z);
  }
  void operator()(const InfoParameterBank &v) const {
    append_le(out, v.symbol);
    append_le(out, v.offset);
    append_le(out, v.size);
  }
  void operator()(const InfoKernelParameter &v) const {
    append_le(out, v.index);
    append_le(out, v.ordinal);
    append_le(out, v.offset);
    append_le<u32>(out, v.pointee_alignment | (v.space & 0xfu) << 8 | (v.cbank & 0x1fu) << 12 |
                            (v.parameter_space ? 1u << 17 : 0) | (v.size & 0x3fffu) << 18);
  }
  void operator()(const InfoKernelParameter2 &v) const {
    append_le(out, v.index);
    append_le(out, v.ordinal);
    append_le(out, v.offset);
    append_le<u32>(out, v.size | u32{v.pointee_alignment} << 16 | (v.space & 0xfu) << 24 |
                            (v.high & 0xfu) << 28);
  }
  void operator()(const InfoBranchTargets &v) const {
    for (const InfoBranch &branch : v.branches) {
      append_le(out, branch.offset);
      append_le(out, branch.kind);
      append_le(out, static_cast<u32>(branch.targets.size()));
      append_words(out, branch.targets);
    }
  }
  void operator()(const InfoTable &v) const { append_words(out, v.words); }
  void operator()(const InfoAnnotations &v) const {
    for (const InfoAnnotation &annotation : v.annotations) {
      append_le(out, annotation.kind);
      if (annotation.kind != kAnnotationOfFunction)
        append_le(out, annotation.offset);
      if (annotation.kind == kAnnotationMark)
        continue;
      append_le(out, static_cast<u32>(annotation.text.size() + 1));
      append_bytes(out, as_bytes(annotation.text));
      out.push_back(0);
      out.resize(align_up(out.size(), 4));
    }
  }
  void operator()(const InfoBytes &v) const { append_bytes(out, v.bytes); }
};

} // namespace

InfoSection decode_info(ByteSpan section) {
  return decode_attributes<InfoAttribute>(section);
}

std::vector<u8> encode_info(const InfoSection &section) {
  return encode_attributes(section);
}

std::span<const InfoRow> info_rows() {
  return kInfoRows;
}

const InfoRow *info_row(InfoAttribute attribute) {
  const u8 row = kRowOf[static_cast<u8>(attribute)];
  return row != kNoRow ? &kInfoRows[row] : nullptr;
}

constinit const std::array<InfoSymbols, 256> kInfoSymbols = [] {
  std::array<InfoSymbols, 256> out{};
  for (const InfoRow &row : kInfoRows)
    out[static_cast<u8>(row.attribute)] = row.symbols;
  return out;
}();

std::vector<u32> words_of(const InfoRecord &record) {
  std::vector<u32> out(record.payload.size() / 4);
  for (size_t i = 0; i < out.size(); ++i)
    out[i] = load_le<u32>(record.payload.data() + i * 4);
  return out;
}

InfoShape effective_shape(const InfoRecord &record) {
  const InfoRow *row = info_row(record.attribute);
  if (!record.sized())
    return row && row->format == record.format ? row->shape : S::Number16;
  if (!row || row->format != record.format || !fits(row->shape, record.payload.size()))
    return S::Opaque;
  if (row->shape == S::BranchTargets && !branches_of(record.payload))
    return S::Opaque;
  if (row->shape == S::Annotations && !annotations_of(record.payload))
    return S::Opaque;
  return row->shape;
}

InfoValue decode_value(const InfoRecord &record) {
  const ByteSpan payload = record.payload;
  const InfoShape shape = effective_shape(record);
  switch (shape) {
  case S::Opaque:
    break;
  case S::None:
  case S::Number8:
  case S::Number16:
    return InfoNumber{record.value};
  case S::Word:
    return InfoNumber{load_le<u32>(payload.data())};
  case S::Words:
  case S::Offsets:
  case S::Symbols:
    return InfoWords{words_of(payload)};
  case S::SymbolWord:
    return InfoSymbolWord{load_le<u32>(payload.data()), load_le<u32>(payload.data() + 4)};
  case S::SymbolWords:
    return InfoSymbolWords{load_le<u32>(payload.data()), words_of(payload.subspan(4))};
  case S::Dim3:
    return InfoDim3{load_le<u32>(payload.data()), load_le<u32>(payload.data() + 4),
                    load_le<u32>(payload.data() + 8)};
  case S::ParameterBank:
    return InfoParameterBank{load_le<u32>(payload.data()), load_le<u16>(payload.data() + 4),
                             load_le<u16>(payload.data() + 6)};
  case S::KernelParameter:
    return parameter_of(payload);
  case S::KernelParameter2:
    return parameter2_of(payload);
  case S::BranchTargets:
    return *branches_of(payload);
  case S::OffsetPairs:
  case S::OffsetTriples:
  case S::OffsetQuads:
    return InfoTable{columns_of(shape), words_of(payload)};
  case S::Annotations:
    return *annotations_of(payload);
  }
  return InfoBytes{{payload.begin(), payload.end()}};
}

std::vector<u8> encode_payload(const InfoValue &value) {
  std::vector<u8> out;
  std::visit(PayloadWriter{out}, value);
  return out;
}

std::optional<Violation> check_record(const InfoRecord &record) {
  const InfoRow *row = info_row(record.attribute);
  const u8 code = static_cast<u8>(record.attribute);
  if (row && row->evidence == InfoEvidence::Measured) {
    if (row->format != record.format)
      return Violation{record.offset,
                       fmt::format("attribute {:#04x} has format {}, usually {}", code,
                                   static_cast<u8>(record.format), static_cast<u8>(row->format))};
    if (record.sized() && row->shape != S::Opaque && effective_shape(record) == S::Opaque)
      return Violation{record.offset,
                       fmt::format("a payload of {} bytes does not fit attribute {:#04x}",
                                   record.payload.size(), code)};
  }
  if (record.sized() && record.payload.size() % 4 != 0)
    return Violation{record.offset,
                     fmt::format("payload size {} is not a multiple of 4", record.payload.size())};
  return std::nullopt;
}

// Some payloads have lists in lists, so that their size says too little.
void RecordMemory::learn(const InfoRecord &record) {
  const InfoRow *row = info_row(record.attribute);
  if (!row || (row->shape != S::BranchTargets && row->shape != S::Annotations))
    valid_[static_cast<u8>(record.attribute)] = key(record);
}

} // namespace culink::elf
