// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>
#include <vector>

#include "elf/elf_builder.h"
#include "link/resolve/program.h"
#include "model/output_sections.h"

namespace culink::nvlink {

// The sections after which one that does not exist is counted, if .symtab_shndx has a number for
// every symbol, also for those that need none; `section_of` by OutId.
[[nodiscard]] std::optional<std::vector<elf::SectionId>>
uncounted_sections(const Program &program, const OutputSections &sections,
                   std::span<const elf::SectionId> section_of);

} // namespace culink::nvlink
