// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>
#include <string>

#include "elf/target/arch.h"
#include "link/model/diagnostics.h"
#include "link/model/dialect.h"
#include "link/model/input_object.h"
#include "support/result.h"

namespace culink {

// Reads a relocatable device object. Everything the passes index with is checked here; a violation
// is an error that names section and field.
[[nodiscard]] Result<InputObject> parse_object(std::string name, elf::ElfView view);

// Variant for other symbols than those of .symtab. Precondition: every section in them exists.
[[nodiscard]] Result<InputObject> parse_object(std::string name, elf::ElfView view,
                                               std::vector<elf::Symbol> symbols);

// From the bytes of a file to an object that can be linked for the target, or to messages that say
// why it cannot. The object refers to the bytes.
[[nodiscard]] std::optional<InputObject> load_object(const std::string &name, ByteSpan bytes,
                                                     const arch::ArchInfo &target,
                                                     const Dialect &dialect, Diagnostics &diag);

// One warning for each kind of things that objects have and this linker does not know, about all
// objects together.
void report_unfamiliar(const std::vector<InputObject> &objects, Diagnostics &diag);

} // namespace culink
