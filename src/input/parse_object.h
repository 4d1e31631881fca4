// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

#include "base/result.h"
#include "model/input_object.h"

namespace culink {

// Reads a relocatable device object. Everything the passes index with is checked here; a violation
// is an error that names section and field.
[[nodiscard]] Result<InputObject> parse_object(std::string name, elf::ElfView view);

// The same with other symbols than those of .symtab. Precondition: every section in them exists.
[[nodiscard]] Result<InputObject> parse_object(std::string name, elf::ElfView view,
                                               std::vector<elf::Symbol> symbols);

} // namespace culink
