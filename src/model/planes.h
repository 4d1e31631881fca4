// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "base/name_map.h"
#include "model/input_object.h"
#include "model/layout.h"

namespace culink {

// The objects of a link for sm_100 and later in both forms of their code. Sections and symbols of
// an object have the same numbers in both.
struct Planes {
  std::span<const InputObject> mercury;
  std::span<const InputObject> sass;
};

using FunctionsByName = NameMap<EntityId>;

// Whether two definitions are the same function in both forms. False if one of them has no code.
[[nodiscard]] bool have_equal_code(const Planes &planes, SymbolRef a, SymbolRef b);

// An offset in a debug section at which a relocation stores the address of a function.
struct CodeAddress {
  u64 offset = 0;
  u32 symbol = 0; // of the object
};

// All of one section of an object, by offset.
[[nodiscard]] std::vector<CodeAddress> code_addresses(const InputObject &object, u32 section);

// The section of an object that is a part of an output section, or nothing. `locations`: of the
// object's sections.
[[nodiscard]] const elf::Section *find_part(const InputObject &object,
                                            std::span<const SectionLocation> locations, OutId id);

} // namespace culink
