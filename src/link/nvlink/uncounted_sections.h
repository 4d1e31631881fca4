// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>
#include <vector>

#include "link/resolve/program.h"
#include "model/output_sections.h"

namespace culink::nvlink {

// The sections after which one that does not exist is counted, if .symtab_shndx has a number for
// every symbol, also for those that need none.
[[nodiscard]] std::optional<std::vector<OutId>> uncounted_sections(const Program &program,
                                                                   const OutputSections &planned,
                                                                   const elf::SectionTable &file);

} // namespace culink::nvlink
