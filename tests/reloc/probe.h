// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Objects with one relocation of any type against any kind of symbol.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "support/result.h"
#include "support/types.h"

namespace culink::reloc_test {

// All R_CUDA_* types: 1 to 115.
inline constexpr u32 kTypeCount = 115;

// What the relocation in a .rela table adds: bits everywhere, so that no part of a field is missed.
inline constexpr i64 kAddend = 0x123456789abcde30;
inline constexpr u64 kPlace = 0x40; // in .text.place, which has a pattern of bits there
inline constexpr std::string_view kTarget = ".text.place";

enum class Table : u8 { Rel, Rela };

// A symbol to relocate against: one that the base file has, or its symbol `spare` changed in place.
struct SymbolCase {
  std::string_view name;   // of the case
  std::string_view symbol; // in the file; "spare": the fields below replace it
  bool section_symbol = false;
  u8 info = 0; // binding and type
  u8 other = 0;
  std::string_view section; // "": undefined
  u64 value = 0;
};
[[nodiscard]] std::span<const SymbolCase> symbol_cases();

// The object that holds the place, read from its text form once, and changed for each probe.
class Probe {
public:
  [[nodiscard]] static Result<Probe> open(const std::string &yaml_path);
  // Not every target's objects have every symbol.
  [[nodiscard]] bool has(const SymbolCase &symbol) const;
  // The object with this relocation and no other one in .text.place.
  [[nodiscard]] std::vector<u8> make(const SymbolCase &symbol, Table table, u32 type) const;

private:
  std::vector<u8> base_;
};

[[nodiscard]] Result<std::vector<u8>> assemble_file(const std::string &yaml_path);

} // namespace culink::reloc_test
