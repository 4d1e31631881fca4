// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <string_view>

#include "elf/constants.h"
#include "elf/section_kind.h"

namespace culink::text {

// The facts about a file that defaults depend on.
struct FileFacts {
  elf::FileType type = elf::FileType::Relocatable;
  elf::ElfClass elf_class = elf::ElfClass::Elf64;
  bool has_compat = false; // a section .nv.compat: .note.nv.cuinfo points to it
};

// What ptxas and nvlink put into the header of a section of that name: the fields that the text
// form leaves out. Sections are named, because indices are the writer's business; "" means 0.
struct SectionDefaults {
  elf::SectionType type = elf::SectionType::Progbits;
  u64 flags = 0;
  u64 align = 1;
  u64 entsize = 0;
  std::string link;
  std::string info_section;
  std::string info_symbol; // a symbol of the table that `link` names
};

[[nodiscard]] elf::SectionType default_section_type(std::string_view name, elf::FileType file);
// `type` is the actual one.
[[nodiscard]] SectionDefaults section_defaults(std::string_view name, elf::SectionType type,
                                               const FileFacts &file);

} // namespace culink::text
