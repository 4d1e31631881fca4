// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Classifies files by content. Magic numbers are sufficient for all kinds except PTX, which is
// text: its first word after comments is `.version`.
#include "input/file_kind.h"

#include <algorithm>
#include <array>

#include "elf/constants.h"
#include "elf/elf_view.h"
#include "elf/records/nv_notes.h"
#include "support/bytes.h"

namespace culink {

namespace {

struct Magic {
  std::string_view bytes;
  FileKind kind;
};

constexpr std::array<Magic, 6> kMagic = {{
    {"!<arch>\n", FileKind::Archive},
    {"!<thin>\n", FileKind::Archive},
    {"\x50\xed\x55\xba", FileKind::Fatbin},
    {"\xed\x43\x4e\x7f", FileKind::LtoIr},
    {"BC\xc0\xde", FileKind::LtoIr},
    {"\xde\xc0\x17\x0b", FileKind::LtoIr},
}};

constexpr u64 kTypeOffset = 16;
constexpr u64 kMachineOffset = 18;

u16 load_field(ByteSpan bytes, u64 offset, HeaderOrder order) {
  const u16 value = load_le<u16>(bytes.data() + offset);
  const bool swapped =
      order == HeaderOrder::AsItSays && bytes[elf::kIdentData] == elf::kDataBigEndian;
  return swapped ? __builtin_bswap16(value) : value;
}

// e_type and e_machine have the same offsets in files of 32 and 64 bits.
FileKind elf_kind(ByteSpan bytes, HeaderOrder order) {
  if (bytes.size() < kMachineOffset + 2)
    return FileKind::Unknown;
  const auto type = static_cast<elf::FileType>(load_field(bytes, kTypeOffset, order));
  if (load_field(bytes, kMachineOffset, order) == elf::kMachineCuda)
    return type == elf::FileType::Executable ? FileKind::DeviceImage : FileKind::DeviceObject;
  return type == elf::FileType::Relocatable ? FileKind::HostObject : FileKind::HostImage;
}

bool is_ptx(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  for (;;) {
    const size_t begin = text.find_first_not_of(kBlanks);
    if (begin == std::string_view::npos)
      return false;
    text.remove_prefix(begin);
    const std::string_view end = text.starts_with("//") ? "\n" : text.starts_with("/*") ? "*/" : "";
    if (end.empty())
      return text.starts_with(".version");
    const size_t after = text.find(end, 2);
    if (after == std::string_view::npos)
      return false;
    text.remove_prefix(after + end.size());
  }
}

} // namespace

elf::FileType elf_file_type(ByteSpan bytes) {
  return static_cast<elf::FileType>(load_field(bytes, kTypeOffset, HeaderOrder::AsItSays));
}

FileKind file_kind(ByteSpan bytes, HeaderOrder order) {
  const std::string_view text(reinterpret_cast<const char *>(bytes.data()), bytes.size());
  for (const Magic &magic : kMagic)
    if (text.starts_with(magic.bytes))
      return magic.kind;
  if (text.starts_with("\x7f"
                       "ELF"))
    return elf_kind(bytes, order);
  return is_ptx(text) ? FileKind::Ptx : FileKind::Unknown;
}

std::string_view describe_file_kind(FileKind kind) {
  constexpr std::array<std::string_view, kFileKindCount> kNames = {
      "a device object",  "a linked cubin", "a host object", "a shared library or program",
      "a fatbin",         "an archive",     "a PTX file",    "code of link-time optimisation",
      "no device object",
  };
  return kNames[static_cast<size_t>(kind)];
}

std::string_view name_ending(std::string_view path) {
  const std::string_view name = path.substr(path.rfind('/') + 1);
  const size_t dot = name.rfind('.');
  return dot == std::string_view::npos ? "" : name.substr(dot + 1);
}

bool is_elf(FileKind kind) {
  return kind == FileKind::DeviceObject || kind == FileKind::DeviceImage ||
         kind == FileKind::HostObject || kind == FileKind::HostImage;
}

bool promises_device_code(std::string_view name) {
  const std::string_view ending = name_ending(name);
  return ending == "cubin" || ending == "fatbin" || ending == "ptx";
}

bool promises_lto(std::string_view name) {
  const std::string_view ending = name_ending(name);
  return ending == "ltoir" || ending == "nvvm";
}

bool promises_source(std::string_view name) {
  constexpr std::array<std::string_view, 6> kEndings = {"c", "cc", "cpp", "cu", "cxx", "h"};
  return std::find(kEndings.begin(), kEndings.end(), name_ending(name)) != kEndings.end();
}

// A compiler writes one note; a linker writes its own note and keeps those of its inputs. Files
// before CUDA 12.8 have no such notes.
std::string_view why_not_relocatable(ByteSpan image) {
  const Result<elf::ElfView> view = elf::ElfView::open_tolerant(image);
  const elf::Section *section = view ? view->find(".note.nv.tkinfo") : nullptr;
  if (!section)
    return kLinkedOrWhole;
  bool compiled = false;
  for (const elf::Note &note : elf::decode_notes(section->data).notes) {
    const Result<elf::ToolkitInfo> info = elf::decode_toolkit_info(note.desc);
    if (info && (info->tool == "nvlink" || info->tool == "culink"))
      return kLinked;
    compiled |= info && info->tool == "ptxas";
  }
  return compiled ? kWholeProgram : kLinkedOrWhole;
}

const FileRule &find_file_rule(std::span<const FileRule> rules, std::string_view path) {
  const std::string_view ending = name_ending(path);
  for (const FileRule &rule : rules)
    if (rule.ending == ending)
      return rule;
  return rules.back();
}

} // namespace culink
