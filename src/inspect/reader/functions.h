// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string_view>
#include <unordered_map>
#include <vector>

#include "elf/elf_view.h"
#include "support/string_index.h"

namespace culink::inspect {

inline constexpr u32 kNoFunction = 0xffffffff;

// A function that has code in the file. Names and code are views into the file.
struct FunctionRef {
  std::string_view name; // mangled
  u32 symbol = 0;        // its number in .symtab
  u32 section = 0;
  u64 value = 0; // offset in the section; not 0 for functions inside the section of another
  u64 size = 0;
  bool kernel = false;
  ByteSpan code; // empty if the file does not contain all of it
};

// The functions of a file, in symbol order, and the sections that belong to them. Takes tolerant
// views, too.
class Functions {
public:
  explicit Functions(const elf::ElfView &file);

  [[nodiscard]] const std::vector<FunctionRef> &all() const { return all_; }
  [[nodiscard]] u32 of_symbol(u32 symbol) const;
  // Returns the function at the beginning of a section.
  [[nodiscard]] u32 of_section(u32 section) const;
  // Returns the function that a section belongs to: by number, by sh_info, else by owner's name.
  [[nodiscard]] u32 owner_of(const elf::Section &section, std::string_view owner) const;

private:
  const elf::ElfView &file_;
  std::vector<FunctionRef> all_;
  std::vector<u32> of_symbol_;
  std::unordered_map<u32, u32> of_section_; // never iterated
  NameMap<u32> of_name_;
};

} // namespace culink::inspect
