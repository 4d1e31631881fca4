// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The program that the inputs define: tables of each file, names and their prevailing definitions.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "elf/elf_view.h"
#include "elf/records/nv_callgraph.h"
#include "elf/records/nv_info.h"
#include "elf/section_kind.h"
#include "support/result.h"
#include "verify/link/check_link.h"

namespace culink::check {

inline constexpr u32 kNone = 0xffffffff;

// The findings of one part of the work. Each thread has its own; they are joined in order. The
// number is limited, since a broken output may have as many findings as bytes.
class Report {
public:
  void add(Finding finding) {
    if (findings_.size() < kMost)
      findings_.push_back(std::move(finding));
  }
  void add(FindingKind kind, std::string_view symbol, std::string_view section, u64 offset,
           std::string expected, std::string found) {
    add({kind, std::string(symbol), std::string(section), offset, std::move(expected),
         std::move(found)});
  }
  void append(Report &&other) {
    for (Finding &finding : other.findings_)
      add(std::move(finding));
  }
  [[nodiscard]] std::vector<Finding> take() { return std::move(findings_); }

private:
  static constexpr size_t kMost = 200;
  std::vector<Finding> findings_;
};

// Returns "0x40".
[[nodiscard]] std::string hex(u64 value);
// Returns a few bytes of a section as "12 34 56 78".
[[nodiscard]] std::string bytes_text(ByteSpan bytes);

struct Object {
  explicit Object(std::string_view file, elf::ElfView opened)
      : name(file), view(std::move(opened)) {}

  std::string name;
  elf::ElfView view;
  std::vector<elf::SectionKind> kinds; // by section
  std::vector<elf::Symbol> symbols;
  std::vector<u32> code_of;     // by section: the code that it belongs to, or 0
  std::vector<u32> first_table; // by section: the first table of its relocations, or 0
  std::vector<u32> next_table;  // by table: the next one of the same section, or 0
  std::vector<u64> named_end;   // by section: the end of its last symbol
  std::vector<u32> records_of;  // by code section: its .nv.info section, or 0
  std::vector<u32> registers;   // by symbol: REGCOUNT, or kNone
  std::vector<u32> frame;       // by symbol: FRAME_SIZE, or kNone
  std::vector<u32> stack;       // by symbol: MIN_STACK_SIZE, or kNone
  elf::CallGraph calls;
  elf::PrototypeSection prototypes;
  ByteSpan strings;
  u32 virtual_sm = 0;
  u32 toolkit = 0; // release that made the file, times ten; 0 before 13.0

  [[nodiscard]] const elf::Section &section(u32 index) const { return view.sections()[index]; }
  // Returns the symbol that a code section belongs to.
  [[nodiscard]] u32 owner_symbol(u32 code) const { return section(code).info & 0xffffff; }
  [[nodiscard]] std::string_view string_at(u32 offset) const {
    return c_string_at(strings, offset).value_or("");
  }
  // Returns the records of a code section.
  [[nodiscard]] elf::InfoRecords records(u32 code) const {
    return elf::InfoRecords(records_of[code] == 0 ? ByteSpan{} : section(records_of[code]).data);
  }
  // Calls `visit` with each relocation of a section, and whether its table has addends.
  void each_relocation(u32 index, const auto &visit) const {
    for (u32 t = first_table[index]; t != 0; t = next_table[t]) {
      const elf::RelocationTable entries = view.relocations(section(t));
      for (u32 i = 0; i < entries.size(); ++i)
        visit(entries[i], entries.has_addends());
    }
  }
};

[[nodiscard]] Result<Object> read_object(std::string_view name, ByteSpan bytes);
[[nodiscard]] Object make_object(std::string_view name, elf::ElfView view,
                                 std::vector<elf::Symbol> symbols);

// Returns the Mercury object inside a file for sm_100 and later, with the same numbers of sections
// and symbols; nullopt if there is none. Sections of code have the bytes of the capsule and the
// size of the expanded code. The bank of parameters is not included.
[[nodiscard]] std::optional<Object> read_mercury_plane(const Object &file);

// The memory space of a data symbol is in st_other.
[[nodiscard]] constexpr bool in_shared_memory(u8 other) {
  return (other & 0xe0) == elf::kOtherShared;
}
[[nodiscard]] constexpr bool in_constant_memory(u8 other) {
  return (other & 0xe0) == elf::kOtherConstant;
}
[[nodiscard]] constexpr bool is_kernel(u8 other) {
  return (other & elf::kOtherKernel) != 0;
}

// A function or variable of the program: one for each name, one for each local symbol.
struct Entity {
  std::string_view name;
  u32 object = kNone; // of the prevailing definition; kNone: undefined, or common
  u32 symbol = 0;
  u32 first_definition = kNone; // its object
  u32 out = 0;                  // the symbol of the output; 0: none
  u64 size = 0;
  u64 common_align = 0;  // of common symbols
  u64 dynamic_align = 0; // of dynamic shared memory; declarations have it since 13.1
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

// The state of a definition.
enum class Outcome : u8 {
  None,       // the symbol is not a definition
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
  // Returns the kind of the section that contains the definition.
  [[nodiscard]] const elf::SectionKind &kind_of(const Entity &entity) const {
    return objects[entity.object].kinds[definition(entity).section];
  }
};

// Resolves names by the documented rules (docs/compat.md): strong over weak; of weak functions the
// one with the fewest registers, then of newer PTX, then the first; of weak data the first. Two
// strong definitions of a name are a finding. `toolkit` is the toolkit of the output.
[[nodiscard]] Program resolve(std::vector<Object> objects, u32 toolkit, Report &report);

} // namespace culink::check
