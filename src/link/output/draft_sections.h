// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <span>
#include <vector>

#include "link/output/draft.h"

namespace culink {

// Unused bytes of .shstrtab, or after it, in files with both planes: the names of two tables that
// hardly any file has (Q101).
inline constexpr u32 kIndexNamesRoom = sizeof ".symtab_shndx" + sizeof ".nv.merc.symtab_shndx";

// The type that a section of an object has in an executable.
[[nodiscard]] elf::SectionType type_in_executable(elf::SectionType type);

// Headers as they are in the file: types of executables, symbols of code, links between notes.
void finish_headers(const Program &program, const OutputPlan &plan, FileInProgress &file);

// The section that has the content of a section of the plan: itself, or another one.
class ContentOf {
public:
  ContentOf() = default;
  explicit ContentOf(std::span<const OutId> others) : others_(others) {} // by OutId
  [[nodiscard]] OutId operator()(OutId id) const {
    return others_.empty() ? id : others_[id.value];
  }

private:
  std::span<const OutId> others_;
};

// The symbol that a relocation is against; none: symbol 0, or a symbol that is not part of the
// output.
[[nodiscard]] inline elf::SymbolId symbol_of(const OutputSymbols &symbols,
                                             const KeptRelocation &kept) {
  switch (kept.against) {
  case KeptRelocation::Against::Nothing:
    break;
  case KeptRelocation::Against::Entity:
    return symbols.of_entity[kept.id];
  case KeptRelocation::Against::Section:
    return symbols.of_section[kept.id];
  case KeptRelocation::Against::Instance:
    return symbols.of_instance[kept.id];
  }
  return {};
}

// Records of functions.
void fill_records(const Program &program, const OutputPlan &plan, FileInProgress &file);
// Content of a section that is put together from parts of the inputs, in another section.
void fill_section(const Program &program, const OutputPlan &plan, OutId id, OutId to,
                  elf::SectionTable &sections);
// Content of the sections that only a linker writes. `compat`: that of .nv.compat.
void fill_synthetic(const OutputPlan &plan, ContentOf to, ByteSpan compat, FileInProgress &file);
// A call of a function that the program does not know.
struct AddedCall {
  EntityId caller;
  elf::SymbolId callee;
};
// The call graph and prototypes; calls that are added come first.
void fill_calls(const Program &program, const OutputPlan &plan, ContentOf to, FileInProgress &file,
                std::span<const AddedCall> added = {});
void fill_unified(const OutputPlan &plan, ContentOf to, FileInProgress &file);

// Encodes relocations as the contents of their tables: first all are counted, then all are added.
class RelocationTables {
public:
  explicit RelocationTables(FileInProgress &file)
      : file_(file), next_of_(file.elf.sections.size()) {}
  void count(OutId table);
  void allocate();
  void add(OutId table, const elf::RelocationSpec &entry);

private:
  struct Next {
    u64 size = 0;   // of all entries
    u64 offset = 0; // of the next one
    u8 *entry = nullptr;
  };
  FileInProgress &file_;
  std::vector<Next> next_of_; // by OutId
};

// `for_each` passes all relocations to its argument, table by table or not, each time.
template <typename ForEach> void fill_tables(FileInProgress &file, ForEach for_each) {
  RelocationTables tables(file);
  for_each([&](OutId table, const elf::RelocationSpec &) { tables.count(table); });
  tables.allocate();
  for_each([&](OutId table, const elf::RelocationSpec &entry) { tables.add(table, entry); });
}

// The tables of the plan. Reports relocations against what is not part of the output.
void fill_relocations(const Program &program, const OutputPlan &plan, ContentOf to,
                      FileInProgress &file, Diagnostics &diag);

// The records with the numbers of symbols stored.
[[nodiscard]] RecordList store_numbers(RecordList records, const OutputSymbols &symbols,
                                       const FileInProgress &file);
[[nodiscard]] InfoPlan store_numbers(InfoPlan info, const FileInProgress &file, WorkerPool &pool);

} // namespace culink
