// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "elf/elf_view.h"

namespace culink::text {

using FunctionFilter = std::function<bool(std::string_view name)>;

// The numbers of the symbols of functions that are wanted, as nvdisasm's -fun takes them.
[[nodiscard]] std::vector<u32> function_symbols(const elf::ElfView &view,
                                                const FunctionFilter &wanted);

// The listing that nvdisasm -c has made of a file: the code of the functions that are wanted, with
// the relocations beside the instructions that they change, and names as the source has them.
[[nodiscard]] std::string annotate_disassembly(const elf::ElfView &view, std::string_view listing,
                                               const FunctionFilter &wanted);

} // namespace culink::text
