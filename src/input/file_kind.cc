// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Files by content. Magic numbers are enough for all but PTX, which is text: its first word that is
// no comment is `.version`.
#include "input/file_kind.h"

#include <array>

#include "base/bytes.h"
#include "elf/constants.h"

namespace culink {

namespace {

struct Magic {
  std::string_view bytes;
  FileKind kind;
};

constexpr std::array<Magic, 5> kMagic = {{
    {"!<arch>\n", FileKind::Archive},
    {"!<thin>\n", FileKind::ThinArchive},
    {"\x50\xed\x55\xba", FileKind::Fatbin},
    {"BC\xc0\xde", FileKind::Bitcode},
    {"\xde\xc0\x17\x0b", FileKind::Bitcode},
}};

constexpr u64 kMachineOffset = 18;

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

FileKind file_kind(ByteSpan bytes) {
  const std::string_view text(reinterpret_cast<const char *>(bytes.data()), bytes.size());
  for (const Magic &magic : kMagic)
    if (text.starts_with(magic.bytes))
      return magic.kind;
  if (text.starts_with("\x7f"
                       "ELF")) {
    const bool device = bytes.size() >= kMachineOffset + 2 &&
                        load_le<u16>(bytes.data() + kMachineOffset) == elf::kMachineCuda;
    return device ? FileKind::DeviceElf : FileKind::HostElf;
  }
  return is_ptx(text) ? FileKind::Ptx : FileKind::Unknown;
}

std::string_view name_of_file_kind(FileKind kind) {
  switch (kind) {
  case FileKind::Unknown:
    return "files of unknown kind";
  case FileKind::DeviceElf:
    return "device objects";
  case FileKind::HostElf:
    return "host objects";
  case FileKind::Archive:
    return "archives";
  case FileKind::ThinArchive:
    return "thin archives";
  case FileKind::Fatbin:
    return "fatbins";
  case FileKind::Ptx:
    return "PTX files";
  case FileKind::Bitcode:
    return "bitcode files";
  }
  return "files";
}

} // namespace culink
