// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The inverse of input/fatbin: writes entries and containers like NVIDIA's fatbinary; without
// packing the bytes are equal.
//
// What may surprise: PTX has a final NUL, which is part of the payload when packed and padding when
// not packed; PTX always has an options record, even an empty one; entries for a family of targets
// repeat .nv.compat of their cubin there.
#include "edit/fatbin_writer.h"

#include <charconv>

#include <zstd.h>

#include <fmt/format.h>

#include "elf/elf_view.h"
#include "elf/target/elf_flags.h"
#include "input/fatbin.h"
#include "input/file_kind.h"
#include "support/bytes.h"

namespace culink {

namespace {

constexpr u16 kEntryVersion = 0x0101;
constexpr u64 kHasCompatibility = 0x1000000; // the options are a copy of .nv.compat

void append_padded(std::vector<u8> &out, ByteSpan bytes) {
  out.insert(out.end(), bytes.begin(), bytes.end());
  out.resize(align_up(out.size(), kFatbinAlignment));
}

// Appends a text with a final NUL and padding.
void append_text(std::vector<u8> &out, std::string_view text) {
  out.insert(out.end(), text.begin(), text.end());
  out.push_back(0);
  out.resize(align_up(out.size(), kFatbinAlignment));
}

std::vector<u8> zstd_frame(ByteSpan bytes, int level) {
  std::vector<u8> out(ZSTD_compressBound(bytes.size()));
  const size_t size = ZSTD_compress(out.data(), out.size(), bytes.data(), bytes.size(), level);
  out.resize(ZSTD_isError(size) ? 0 : size);
  return out;
}

// Joins a header with its texts and a payload. `bytes` are the unpacked payload.
std::vector<u8> join(WireEntry wire, ByteSpan texts, ByteSpan bytes, Packing packing) {
  const std::vector<u8> frame =
      packing.level ? zstd_frame(bytes, *packing.level) : std::vector<u8>();
  const bool packed = !frame.empty();
  const ByteSpan payload = packed ? ByteSpan(frame) : bytes;
  wire.header_size = static_cast<u32>(sizeof wire + texts.size());
  wire.padded_size = align_up(payload.size(), kFatbinAlignment);
  wire.packed_size = packed ? static_cast<u32>(payload.size()) : 0;
  wire.size = packed ? bytes.size() : 0;
  wire.flags = (wire.flags & ~FatbinFlags::kPacked) | (packed ? FatbinFlags::kZstd : 0);
  std::vector<u8> out(sizeof wire);
  store_le(out.data(), wire);
  out.insert(out.end(), texts.begin(), texts.end());
  append_padded(out, payload);
  return out;
}

// Returns the bytes with the NUL that belongs to PTX.
std::vector<u8> bytes_to_pack(FatbinKind kind, ByteSpan bytes) {
  std::vector<u8> out(bytes.begin(), bytes.end());
  if (kind == FatbinKind::Ptx)
    out.push_back(0);
  return out;
}

u64 flag_of(char letter) {
  return letter == 'a'   ? FatbinFlags::kArchSpecific
         : letter == 'f' ? FatbinFlags::kFamilySpecific
                         : 0;
}

// Sets number and letter from a name such as "sm_90a".
bool set_target(FatbinImage &image, std::string_view name) {
  constexpr std::string_view kStart = "sm_";
  if (!name.starts_with(kStart))
    return false;
  const char *end = name.data() + name.size();
  const auto [stop, error] = std::from_chars(name.data() + kStart.size(), end, image.sm);
  if (error != std::errc() || (stop != end && stop + 1 != end))
    return false;
  const u64 flag = stop == end ? 0 : flag_of(*stop);
  image.flags |= flag;
  return stop == end || flag != 0;
}

Result<FatbinImage> describe_cubin(ByteSpan bytes) {
  const Result<elf::ElfView> view = elf::ElfView::open(bytes);
  if (!view)
    return view.error();
  const arch::FileTarget target = arch::target_of(*view);
  FatbinImage image{.minor = target.flags.abi_version, .bytes = bytes};
  if (!set_target(image, target.name))
    return Error{"header", "e_flags", fmt::format("'{}' is no known target", target.name)};
  const elf::Section *compatibility = view->find(".nv.compat");
  if ((image.flags & FatbinFlags::kFamilySpecific) != 0 && compatibility) {
    image.flags |= kHasCompatibility;
    image.options = as_text(compatibility->data);
  }
  return image;
}

// Returns the word after a directive; empty if there is none.
std::string_view value_of(std::string_view text, std::string_view directive) {
  const size_t at = text.find(directive);
  if (at == std::string_view::npos)
    return "";
  text.remove_prefix(at + directive.size());
  const size_t begin = text.find_first_not_of(" \t");
  if (begin == 0 || begin == std::string_view::npos)
    return "";
  text.remove_prefix(begin);
  return text.substr(0, text.find_first_of(" \t\r\n,;/"));
}

Result<FatbinImage> describe_ptx(ByteSpan bytes) {
  while (!bytes.empty() && bytes.back() == 0)
    bytes = bytes.first(bytes.size() - 1);
  FatbinImage image{.kind = FatbinKind::Ptx, .options = "", .bytes = bytes};
  const std::string_view text = as_text(bytes);
  const std::string_view version = value_of(text, ".version");
  const char *end = version.data() + version.size();
  const auto [dot, error] = std::from_chars(version.data(), end, image.major);
  if (error != std::errc() || dot == end || *dot != '.' ||
      std::from_chars(dot + 1, end, image.minor).ptr != end)
    return Error{"", ".version", "is missing, or no version"};
  if (!set_target(image, value_of(text, ".target")))
    return Error{"", ".target", "is missing, or no target"};
  if (value_of(text, ".address_size") != "64")
    return Error{"", ".address_size", "is not 64"};
  return image;
}

} // namespace

Result<FatbinImage> describe_image(ByteSpan bytes) {
  switch (file_kind(bytes)) {
  case FileKind::DeviceObject:
  case FileKind::DeviceImage:
    return describe_cubin(bytes);
  case FileKind::Ptx:
    return describe_ptx(bytes);
  case FileKind::LtoIr:
    return Error{"", "", "code for link-time optimisation gets into a fatbin by nvcc only"};
  case FileKind::HostObject:
  case FileKind::HostImage:
  case FileKind::Fatbin:
  case FileKind::Archive:
  case FileKind::Unknown:
  case FileKind::Count_:
    break;
  }
  return Error{"", "", "is neither a cubin nor PTX"};
}

std::vector<u8> write_entry(const FatbinImage &image, Packing packing) {
  WireEntry wire{};
  wire.kind = static_cast<u16>(image.kind);
  wire.version = kEntryVersion;
  wire.major = image.major;
  wire.minor = image.minor;
  wire.sm = image.sm;
  wire.flags = image.flags;
  std::vector<u8> texts;
  if (!image.identifier.empty()) {
    wire.identifier = sizeof wire;
    wire.identifier_size = static_cast<u32>(image.identifier.size());
    append_text(texts, image.identifier);
  }
  if (image.options) {
    wire.options = static_cast<u32>(sizeof wire + texts.size());
    u32 record[2] = {wire.options + static_cast<u32>(sizeof record),
                     static_cast<u32>(image.options->size())};
    texts.resize(texts.size() + sizeof record);
    store_le(texts.data() + texts.size() - sizeof record, record[0]);
    store_le(texts.data() + texts.size() - sizeof record[1], record[1]);
    append_text(texts, *image.options);
  }
  return join(wire, texts, bytes_to_pack(image.kind, image.bytes), packing);
}

namespace {

// Returns the entry with other code and a given packing.
std::vector<u8> with_code(const FatbinEntry &entry, ByteSpan code, Packing packing) {
  const WireEntry wire = load_le<WireEntry>(entry.whole.data());
  const ByteSpan texts = entry.whole.subspan(sizeof wire, wire.header_size - sizeof wire);
  return join(wire, texts, bytes_to_pack(entry.kind, code), packing);
}

} // namespace

std::optional<std::vector<u8>> repack_entry(const FatbinEntry &entry, Packing packing) {
  if (!packing.level && entry.compression == Compression::None)
    return std::nullopt;
  const Result<std::vector<u8>> bytes = unpack(entry);
  if (!bytes)
    return std::nullopt;
  std::vector<u8> out = with_code(entry, *bytes, packing);
  if (packing.level && out.size() >= entry.whole.size())
    return std::nullopt;
  return out;
}

std::vector<u8> replace_code(const FatbinEntry &entry, ByteSpan code,
                             std::optional<Packing> packing) {
  constexpr int kUsualLevel = 9;
  const bool is_raw = entry.compression == Compression::None;
  const Packing usual{is_raw ? std::nullopt : std::optional(kUsualLevel)};
  return with_code(entry, code, packing.value_or(usual));
}

} // namespace culink
