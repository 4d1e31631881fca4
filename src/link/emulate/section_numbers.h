// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>
#include <vector>

#include "elf/elf_builder.h"
#include "link/resolve/program.h"
#include "model/output_sections.h"

namespace culink::emulate {

// Whether sections of numbers that mean something else in a symbol are mistaken for that.
[[nodiscard]] bool loses_section_fff2(const Program &program);

// Whether a relocation table counts twice among the sections, when it is created, and whether the
// list of relocations that were resolved does. `second`: the section has a table of the other kind.
[[nodiscard]] bool counts_table_twice(const Program &program, bool second);
[[nodiscard]] bool counts_list_twice(const Program &program);

// The sections after which one that does not exist is counted, if .symtab_shndx has a number for
// every symbol, also for those that need none; `section_of` by OutId.
[[nodiscard]] std::optional<std::vector<elf::SectionId>>
uncounted_sections(const Program &program, const OutputSections &sections,
                   std::span<const elf::SectionId> section_of);

} // namespace culink::emulate
