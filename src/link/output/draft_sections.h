// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <span>

#include "link/output/draft.h"
#include "link/output/draft_records.h"

namespace culink {

// Unused bytes of .shstrtab, or behind it, in files with both planes: the names of two tables that
// hardly any file has (Q101).
inline constexpr u32 kIndexNamesRoom = sizeof ".symtab_shndx" + sizeof ".nv.merc.symtab_shndx";

// The type that a section of an object has in an executable.
[[nodiscard]] elf::SectionType type_in_executable(elf::SectionType type);

struct EmittedSections {
  RawVector<u8> is_emitted;             // by OutId: it is part of the file
  RawVector<elf::SectionId> section_of; // by OutId; none: it is discarded
  elf::SectionId next;                  // behind them
  bool relocations_grouped = false;     // those of a table follow each other in the plan
};
// Sections have ids from `first` on.
[[nodiscard]] EmittedSections find_emitted(const OutputPlan &plan, elf::SectionId first,
                                           WorkerPool &pool);

// The header of a section, with its type in the plan.
[[nodiscard]] elf::SectionSpec section_header(const OutputPlan &plan, const FileInProgress &file,
                                              OutId id);
// Headers that are not those of the plan's sections, and links between notes. All others must have
// been added.
void finish_headers(const OutputPlan &plan, FileInProgress &file);

// Where the content of a section goes, by OutId.
using ContentOf = std::span<const elf::SectionId>;

// What a relocation is against; nothing: symbol 0, or a symbol that is not part of the output.
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

// Headers and contents of all sections of the plan, which get the ids that `file` has for them.
void add_sections(const Program &program, const OutputPlan &plan, RecordWriter &records,
                  WorkerPool &pool, FileInProgress &file);

// Content of a section that is put together from parts of the inputs.
void fill_section(const Program &program, const OutputPlan &plan, OutId id, elf::SectionId to,
                  RecordWriter &records, elf::ElfBuilder &elf);
// Content of the sections that only a linker writes. `compat`: that of .nv.compat.
void fill_synthetic(const OutputPlan &plan, ContentOf to, ByteSpan compat, RecordWriter &records,
                    FileInProgress &file);
// A call of a function that the program does not know.
struct AddedCall {
  EntityId caller;
  elf::SymbolId callee;
};
// The call graph and prototypes; calls that are added come first.
void fill_calls(const Program &program, const OutputPlan &plan, ContentOf to, WorkerPool &pool,
                FileInProgress &file, std::span<const AddedCall> added = {});
void fill_unified(const OutputPlan &plan, ContentOf to, FileInProgress &file);
// Tables of relocations. Reports those against what is not part of the output.
void fill_relocations(const Program &program, const OutputPlan &plan, ContentOf to,
                      FileInProgress &file, Diagnostics &diag);
// The same for a file whose symbols have numbers. The relocations that are kept become entries as
// they are in the file, in place; sections borrow them from what is returned.
[[nodiscard]] KeptRelocations encode_relocations(const Program &program, const OutputPlan &plan,
                                                 KeptRelocations relocations, WorkerPool &pool,
                                                 FileInProgress &file, Diagnostics &diag);

} // namespace culink
