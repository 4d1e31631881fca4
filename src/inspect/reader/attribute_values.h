// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <vector>

#include "culink/cubin_reader.h"
#include "elf/elf_view.h"
#include "elf/records/nv_compat.h"
#include "elf/records/nv_info.h"

namespace culink::inspect {

// The name of a symbol; of a section symbol without one, that of its section; else "".
[[nodiscard]] std::string_view name_of_symbol(const elf::ElfView &file, const elf::Symbol &symbol);

// The value of a record, part by part. `symbols` is the table that its symbol numbers are of.
[[nodiscard]] std::vector<CubinReader::Value>
values_of(const elf::InfoRecord &record, const elf::ElfView &file, const elf::SymbolTable &symbols);
[[nodiscard]] std::vector<CubinReader::Value> values_of(const elf::CompatRecord &record);

} // namespace culink::inspect
