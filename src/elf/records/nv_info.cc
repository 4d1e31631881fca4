// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Typed payloads of .nv.info records. One table has the name of every attribute, the format that
// NVIDIA's tools write, the layout of the payload and the words that are symbol indices; all code
// here is driven by the table. A payload that does not fit its row is not an error of this codec:
// it decodes as bytes, so that it can be written back, and check_record reports it.
#include "elf/records/nv_info.h"

#include <algorithm>
#include <fmt/format.h>

#include "support/bytes.h"

namespace culink::elf {

namespace {

using A = InfoAttribute;
using F = RecordFormat;
using S = InfoShape;
using Y = InfoSymbols;
using E = InfoEvidence;

constexpr auto kInfoRows = std::to_array<InfoRow>({
    {A::Error, "EIATTR_ERROR"},
    {A::Pad, "EIATTR_PAD"},
    {A::ImageSlot, "EIATTR_IMAGE_SLOT", F::Sized, S::SymbolWord, E::Described, Y::First},
    {A::JumptableRelocs, "EIATTR_JUMPTABLE_RELOCS", F::Sized, S::Offsets, E::Described},
    {A::CtaidzUsed, "EIATTR_CTAIDZ_USED", F::NoValue, S::None, E::Measured},
    {A::MaxThreads, "EIATTR_MAX_THREADS", F::Sized, S::Dim3, E::Measured},
    {A::ImageOffset, "EIATTR_IMAGE_OFFSET", F::Sized, S::SymbolWord, E::Described, Y::First},
    {A::ImageSize, "EIATTR_IMAGE_SIZE", F::Sized, S::SymbolWord, E::Described, Y::First},
    {A::TextureNormalized, "EIATTR_TEXTURE_NORMALIZED", F::Sized, S::SymbolWord, E::Described,
     Y::First},
    {A::SamplerInit, "EIATTR_SAMPLER_INIT", F::Sized, S::SymbolWord, E::Measured, Y::First},
    {A::ParamCbank, "EIATTR_PARAM_CBANK", F::Sized, S::ParameterBank, E::Measured, Y::First},
    {A::SmemParamOffsets, "EIATTR_SMEM_PARAM_OFFSETS", F::Sized, S::Words, E::Described},
    {A::CbankParamOffsets, "EIATTR_CBANK_PARAM_OFFSETS", F::Sized, S::Words, E::Described},
    {A::SyncStack, "EIATTR_SYNC_STACK", F::Sized, S::Words, E::Described},
    {A::TexidSampidMap, "EIATTR_TEXID_SAMPID_MAP", F::Sized, S::Words, E::Described},
    {A::Externs, "EIATTR_EXTERNS", F::Sized, S::Symbols, E::Measured, Y::All},
    {A::Reqntid, "EIATTR_REQNTID", F::Sized, S::Dim3, E::Measured},
    {A::FrameSize, "EIATTR_FRAME_SIZE", F::Sized, S::SymbolWord, E::Measured, Y::First},
    {A::MinStackSize, "EIATTR_MIN_STACK_SIZE", F::Sized, S::SymbolWord, E::Measured, Y::First},
    {A::SamplerForceUnnormalized, "EIATTR_SAMPLER_FORCE_UNNORMALIZED", F::Sized, S::SymbolWord,
     E::Measured, Y::First},
    {A::BindlessImageOffsets, "EIATTR_BINDLESS_IMAGE_OFFSETS", F::Sized, S::SymbolWords,
     E::Described, Y::First},
    {A::BindlessTextureBank, "EIATTR_BINDLESS_TEXTURE_BANK", F::Byte, S::Number8, E::Measured},
    {A::BindlessSurfaceBank, "EIATTR_BINDLESS_SURFACE_BANK", F::Byte, S::Number8, E::Measured},
    {A::KparamInfo, "EIATTR_KPARAM_INFO", F::Sized, S::KernelParameter, E::Measured, Y::First},
    {A::SmemParamSize, "EIATTR_SMEM_PARAM_SIZE", F::Half, S::Number16, E::Described},
    {A::CbankParamSize, "EIATTR_CBANK_PARAM_SIZE", F::Half, S::Number16, E::Measured},
    {A::QueryNumattrib, "EIATTR_QUERY_NUMATTRIB"},
    {A::MaxregCount, "EIATTR_MAXREG_COUNT", F::Half, S::Number16, E::Measured},
    {A::ExitInstrOffsets, "EIATTR_EXIT_INSTR_OFFSETS", F::Sized, S::Offsets, E::Measured},
    {A::S2rctaidInstrOffsets, "EIATTR_S2RCTAID_INSTR_OFFSETS", F::Sized, S::Offsets, E::Described},
    {A::CrsStackSize, "EIATTR_CRS_STACK_SIZE", F::Sized, S::Word, E::Measured},
    {A::NeedCnpWrapper, "EIATTR_NEED_CNP_WRAPPER", F::NoValue, S::None, E::Described},
    {A::NeedCnpPatch, "EIATTR_NEED_CNP_PATCH", F::NoValue, S::None, E::Described},
    {A::ExplicitCaching, "EIATTR_EXPLICIT_CACHING", F::NoValue, S::None, E::Described},
    {A::IstypepUsed, "EIATTR_ISTYPEP_USED", F::NoValue, S::None, E::Described},
    {A::MaxStackSize, "EIATTR_MAX_STACK_SIZE", F::Sized, S::SymbolWord, E::Measured, Y::First},
    {A::SuqUsed, "EIATTR_SUQ_USED", F::NoValue, S::None, E::Described},
    {A::LdCachemodInstrOffsets, "EIATTR_LD_CACHEMOD_INSTR_OFFSETS", F::Sized, S::Offsets,
     E::Described},
    {A::LoadCacheRequest, "EIATTR_LOAD_CACHE_REQUEST", F::Sized, S::SymbolWord, E::Described,
     Y::First},
    {A::AtomSysInstrOffsets, "EIATTR_ATOM_SYS_INSTR_OFFSETS", F::Sized, S::Offsets, E::Described},
    {A::CoopGroupInstrOffsets, "EIATTR_COOP_GROUP_INSTR_OFFSETS", F::Sized, S::Offsets,
     E::Measured},
    {A::CoopGroupMaskRegids, "EIATTR_COOP_GROUP_MASK_REGIDS", F::Sized, S::Words, E::Measured},
    {A::Sw1850030War, "EIATTR_SW1850030_WAR", F::NoValue, S::None, E::Described},
    {A::WmmaUsed, "EIATTR_WMMA_USED", F::NoValue, S::None, E::Measured},
    {A::HasPreV10Object, "EIATTR_HAS_PRE_V10_OBJECT"},
    {A::Atomf16EmulInstrOffsets, "EIATTR_ATOMF16_EMUL_INSTR_OFFSETS", F::Sized, S::Offsets,
     E::Described},
    {A::Atom16EmulInstrRegMap, "EIATTR_ATOM16_EMUL_INSTR_REG_MAP", F::Sized, S::OffsetPairs,
     E::Measured},
    {A::Regcount, "EIATTR_REGCOUNT", F::Sized, S::SymbolWord, E::Measured, Y::First},
    {A::Sw2393858War, "EIATTR_SW2393858_WAR", F::NoValue, S::None, E::Described},
    {A::IntWarpWideInstrOffsets, "EIATTR_INT_WARP_WIDE_INSTR_OFFSETS", F::Sized, S::Offsets,
     E::Measured},
    {A::SharedScratch, "EIATTR_SHARED_SCRATCH"},
    {A::Statistics, "EIATTR_STATISTICS"},
    {A::IndirectBranchTargets, "EIATTR_INDIRECT_BRANCH_TARGETS", F::Sized, S::BranchTargets,
     E::Measured},
    {A::Sw2861232War, "EIATTR_SW2861232_WAR", F::NoValue, S::None, E::Measured},
    {A::SwWar, "EIATTR_SW_WAR", F::Sized, S::Word, E::Measured},
    {A::CudaApiVersion, "EIATTR_CUDA_API_VERSION", F::Sized, S::Word, E::Measured},
    {A::NumMbarriers, "EIATTR_NUM_MBARRIERS", F::Half, S::Number16, E::Measured},
    {A::MbarrierInstrOffsets, "EIATTR_MBARRIER_INSTR_OFFSETS", F::Sized, S::OffsetQuads,
     E::Measured},
    {A::CoroutineResumeIdOffsets, "EIATTR_COROUTINE_RESUME_ID_OFFSETS", F::Sized, S::Offsets,
     E::Described},
    {A::SamRegionStackSize, "EIATTR_SAM_REGION_STACK_SIZE", F::Sized, S::SymbolWord, E::Described,
     Y::First},
    {A::PerRegTargetPerfStats, "EIATTR_PER_REG_TARGET_PERF_STATS"},
    {A::CtaPerCluster, "EIATTR_CTA_PER_CLUSTER", F::Sized, S::Dim3, E::Measured},
    {A::ExplicitCluster, "EIATTR_EXPLICIT_CLUSTER", F::NoValue, S::None, E::Measured},
    {A::MaxClusterRank, "EIATTR_MAX_CLUSTER_RANK", F::Sized, S::Word, E::Measured},
    {A::InstrRegMap, "EIATTR_INSTR_REG_MAP", F::Sized, S::OffsetTriples, E::Measured},
    {A::ReservedSmemUsed, "EIATTR_RESERVED_SMEM_USED", F::NoValue, S::None, E::Measured},
    {A::ReservedSmem0Size, "EIATTR_RESERVED_SMEM_0_SIZE", F::Sized, S::Word, E::Described},
    {A::UcodeSectionData, "EIATTR_UCODE_SECTION_DATA"},
    {A::UnusedLoadByteOffset, "EIATTR_UNUSED_LOAD_BYTE_OFFSET", F::Sized, S::OffsetPairs,
     E::Measured},
    {A::KparamInfoV2, "EIATTR_KPARAM_INFO_V2", F::Sized, S::KernelParameter2, E::Measured,
     Y::First},
    {A::SyscallOffsets, "EIATTR_SYSCALL_OFFSETS", F::Sized, S::Offsets, E::Measured},
    {A::SwWarMembarSysInstrOffsets, "EIATTR_SW_WAR_MEMBAR_SYS_INSTR_OFFSETS", F::Sized, S::Offsets,
     E::Described},
    {A::GraphicsGlobalCbank, "EIATTR_GRAPHICS_GLOBAL_CBANK"},
    {A::ShaderType, "EIATTR_SHADER_TYPE"},
    {A::VrcCtaInitCount, "EIATTR_VRC_CTA_INIT_COUNT", F::Byte, S::Number8, E::Measured},
    {A::ToolsPatchFunc, "EIATTR_TOOLS_PATCH_FUNC", F::NoValue, S::None, E::Measured},
    {A::NumBarriers, "EIATTR_NUM_BARRIERS", F::Byte, S::Number8, E::Measured},
    {A::TexmodeIndependent, "EIATTR_TEXMODE_INDEPENDENT", F::NoValue, S::None, E::Measured},
    {A::PerfStatistics, "EIATTR_PERF_STATISTICS"},
    {A::AtEntryFragments, "EIATTR_AT_ENTRY_FRAGMENTS", F::Sized, S::Words, E::Measured},
    {A::SparseMmaMask, "EIATTR_SPARSE_MMA_MASK", F::Half, S::Number16, E::Measured},
    {A::Tcgen05OneCtaUsed, "EIATTR_TCGEN05_1CTA_USED", F::NoValue, S::None, E::Measured},
    {A::Tcgen05TwoCtaUsed, "EIATTR_TCGEN05_2CTA_USED", F::NoValue, S::None, E::Measured},
    {A::GenErrbarAtExit, "EIATTR_GEN_ERRBAR_AT_EXIT", F::NoValue, S::None, E::Measured},
    {A::RegReconfig, "EIATTR_REG_RECONFIG", F::NoValue, S::None, E::Measured},
    {A::Annotations, "EIATTR_ANNOTATIONS", F::Sized, S::Annotations, E::Measured},
    {A::Unknown56, "EIATTR_UNKNOWN"},
    {A::StackCanaryTrapOffsets, "EIATTR_STACK_CANARY_TRAP_OFFSETS", F::Sized, S::Offsets,
     E::Measured},
    {A::StubFunctionKind, "EIATTR_STUB_FUNCTION_KIND", F::Half, S::Number16, E::Measured},
    {A::LocalCtaAsyncStoreOffsets, "EIATTR_LOCAL_CTA_ASYNC_STORE_OFFSETS", F::Sized, S::Offsets,
     E::Described},
    {A::MercuryFinalizerOptions, "EIATTR_MERCURY_FINALIZER_OPTIONS", F::Sized, S::Opaque,
     E::Measured},
    {A::BlocksAreClusters, "EIATTR_BLOCKS_ARE_CLUSTERS", F::NoValue, S::None, E::Measured},
    {A::Sanitize, "EIATTR_SANITIZE", F::Half, S::Number16, E::Measured},
    {A::SyscallsFallback, "EIATTR_SYSCALLS_FALLBACK", F::Sized, S::Offsets, E::Described},
    {A::CudaReq, "EIATTR_CUDA_REQ"},
    {A::MercuryIsaVersion, "EIATTR_MERCURY_ISA_VERSION", F::Half, S::Number16, E::Measured},
    {A::ErrorLast, "EIATTR_ERROR_LAST"},
    {A::ClusterLaunchControlUsed, "EIATTR_CLUSTER_LAUNCH_CONTROL_USED", F::NoValue, S::None,
     E::Measured},
    {A::Language, "EIATTR_LANGUAGE", F::Sized, S::Words, E::Measured},
    {A::GridAttributes, "EIATTR_GRID_ATTRIBUTES", F::Half, S::Number16, E::Measured},
    {A::NvsalSwWar, "EIATTR_NVSAL_SW_WAR", F::Half, S::Number16, E::Measured},
    {A::PreexitUsed, "EIATTR_PREEXIT_USED", F::Byte, S::Number8, E::Measured},
});

constexpr auto kAttributeNames = [] {
  std::array<NamedNumber, kInfoRows.size()> out;
  for (size_t i = 0; i < out.size(); ++i)
    out[i] = {static_cast<u32>(kInfoRows[i].attribute), kInfoRows[i].name};
  return out;
}();
static_assert(sorted_by_number(kAttributeNames));

// The row of each attribute with a known layout, as an array for fast lookup: linkers look up every
// record.
constexpr u8 kNoRow = 0xff;
constexpr std::array<u8, 256> kRowOf = [] {
  std::array<u8, 256> out{};
  out.fill(kNoRow);
  for (u8 i = 0; i < kInfoRows.size(); ++i)
    if (kInfoRows[i].evidence != E::None)
      out[static_cast<u8>(kInfoRows[i].attribute)] = i;
  return out;
}();

// Decodes branches (offset, kind, count, targets...); returns nullopt if they do not fill the
// payload.
std::optional<InfoBranchTargets> branches_of(ByteSpan payload) {
  const std::vector<u32> words = load_rows<u32>(payload);
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

// Decodes the annotation at words[at] and moves `at` to its end. Returns nullopt if it is invalid.
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
  // The size of the text includes its NUL, but not the zeros after it.
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

// True if a shape allows that payload size.
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

// True if a payload has the layout of its row. Nested lists must fill the payload.
bool has_layout(InfoShape shape, ByteSpan payload) {
  return fits(shape, payload.size()) && (shape != S::BranchTargets || branches_of(payload)) &&
         (shape != S::Annotations || annotations_of(payload));
}

// Appends the payload for each kind of value.
struct PayloadWriter {
  std::vector<u8> &out;

  // Values with the layout of the file.
  template <FileRow Row> void operator()(const Row &v) const { append_le(out, v); }
  void operator()(const InfoWords &v) const { append_rows(out, v.words); }
  void operator()(const InfoSymbolWords &v) const {
    append_le(out, v.symbol);
    append_rows(out, v.values);
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
      append_rows(out, branch.targets);
    }
  }
  void operator()(const InfoTable &v) const { append_rows(out, v.words); }
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

constinit const NameTable<u32> kInfoAttributeNames{"EIATTR_", kAttributeNames};

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

InfoShape effective_shape(const InfoRecord &record) {
  const InfoRow *row = info_row(record.attribute);
  if (!row || row->format != record.format)
    return record.sized() ? S::Opaque : S::Number16;
  return !record.sized() || has_layout(row->shape, record.payload) ? row->shape : S::Opaque;
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
    return load_le<InfoNumber>(payload.data());
  case S::Words:
  case S::Offsets:
  case S::Symbols:
    return InfoWords{load_rows<u32>(payload)};
  case S::SymbolWord:
    return load_le<InfoSymbolWord>(payload.data());
  case S::SymbolWords:
    return InfoSymbolWords{load_le<u32>(payload.data()), load_rows<u32>(payload.subspan(4))};
  case S::Dim3:
    return load_le<InfoDim3>(payload.data());
  case S::ParameterBank:
    return load_le<InfoParameterBank>(payload.data());
  case S::KernelParameter:
    return parameter_of(payload);
  case S::KernelParameter2:
    return parameter2_of(payload);
  case S::BranchTargets:
    return *branches_of(payload);
  case S::OffsetPairs:
  case S::OffsetTriples:
  case S::OffsetQuads:
    return InfoTable{columns_of(shape), load_rows<u32>(payload)};
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
    if (record.sized() && !has_layout(row->shape, record.payload))
      return Violation{record.offset,
                       fmt::format("a payload of {} bytes does not fit attribute {:#04x}",
                                   record.payload.size(), code)};
  }
  if (record.sized() && record.payload.size() % 4 != 0)
    return Violation{record.offset,
                     fmt::format("payload size {} is not a multiple of 4", record.payload.size())};
  return std::nullopt;
}

} // namespace culink::elf
