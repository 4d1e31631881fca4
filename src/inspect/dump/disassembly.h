// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "elf/elf_view.h"

namespace culink::text {

using FunctionFilter = std::function<bool(std::string_view name)>;

// Returns the symbol numbers of the selected functions, as nvdisasm's -fun takes them.
[[nodiscard]] std::vector<u32> function_symbols(const elf::ElfView &view,
                                                const FunctionFilter &wanted);

// Annotates the listing that nvdisasm -c made of a file: the code of the selected functions, with
// relocations next to the instructions that they change, and demangled names.
[[nodiscard]] std::string annotate_disassembly(const elf::ElfView &view, std::string_view listing,
                                               const FunctionFilter &wanted);

} // namespace culink::text
