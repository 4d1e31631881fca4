// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The program that the inputs make up: names and the definitions that stand for them.
#pragma once

#include <string_view>
#include <vector>

#include "verify/program/object.h"
#include "verify/program/report.h"

namespace culink::check {

// A function or variable of the program: one for each name, one for each local symbol.
struct Entity {
  std::string_view name;
  u32 object = kNone; // the prevailing definition; none: undefined, or common
  u32 symbol = 0;
  u32 first_definition = kNone; // its object
  u32 out = 0;                  // the symbol of the output; 0: none
  u64 size = 0;
  u64 common_align = 0;  // of common symbols, which nobody defines
  u64 dynamic_align = 0; // of dynamic shared memory, whose declarations have it since 13.1
  u8 info = 0;
  u8 other = 0;
  bool local = false;
  bool weak_reference = true; // every reference to it is weak

  [[nodiscard]] bool defined() const { return object != kNone; }
  [[nodiscard]] bool weak() const {
    return static_cast<elf::SymbolBinding>(info >> 4) == elf::SymbolBinding::Weak;
  }
  [[nodiscard]] elf::SymbolType type() const { return static_cast<elf::SymbolType>(info & 15); }
  [[nodiscard]] bool function() const { return type() == elf::SymbolType::Function; }
  [[nodiscard]] bool kernel() const { return function() && is_kernel(other); }
};

// What became of a definition.
enum class Outcome : u8 {
  None,       // it is none
  Prevails,   //
  Overridden, // it was the first, and a later one prevails
  Discarded,  // an earlier one prevails
};

struct Program {
  std::vector<Object> objects;
  std::vector<Entity> entities;
  std::vector<std::vector<u32>> entity_of;   // by object and symbol; kNone for labels and sections
  std::vector<std::vector<Outcome>> outcome; // by object and symbol

  [[nodiscard]] const elf::Symbol &definition(const Entity &entity) const {
    return objects[entity.object].symbols[entity.symbol];
  }
  // The kind of section that the definition is in.
  [[nodiscard]] const elf::SectionKind &kind_of(const Entity &entity) const {
    return objects[entity.object].kinds[definition(entity).section];
  }
};

// Names resolved by the documented rules (docs/compat.md): strong over weak, of weak functions the
// one with fewest registers, then of newer PTX, then the first; of weak data the first. Two strong
// definitions of a name are a finding. `toolkit` is that of the output.
[[nodiscard]] Program resolve(std::vector<Object> objects, u32 toolkit, Report &report);

} // namespace culink::check
