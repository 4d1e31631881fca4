// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Mercury code calls constant banks by what they are for, SASS by their number. nvlink renames them
// in tables of names that exist already. In .shstrtab the new name is where the old, longer one
// was; in .strtab it is after all others, and the room that nvlink reckons with is visible as a gap
// behind each table (Q101). lay_out_planes calls this before it adds the sections of the SASS plane
// that Mercury code does not have.
//
// What may surprise: to the plan, banks have the names of the SASS plane. They are the old names
// that have to be made up here.
#include "link/mercury/bank_names.h"

#include "elf/mercury_names.h"
#include "link/mercury/sass_constants.h"
#include "link/output/draft_sections.h"

namespace culink {

namespace {

bool is_compiler_constant(const InputObject &object, u32 index, u8 bank) {
  const elf::Symbol &symbol = object.symbols[index];
  if (symbol.type() == elf::SymbolType::Section || !symbol.in_section())
    return false;
  const elf::SectionKind &kind = object.kinds[symbol.section];
  return kind.is_constant() && kind.bank == bank;
}

// nvlink gives compiler constants names of their own: the section's and a number, which counts all
// of them in the object, also those that are discarded.
void number_compiler_constants(const Program &mercury, const OutputPlan &plan,
                               const SassInputs &inputs, FileInProgress &file) {
  const OutputSections &sections = plan.layout.sections;
  const arch::ArchInfo arch = arch::as_plain_sass(inputs.arch);
  ObjectId object;
  u32 next = 0; // symbol of the object
  u32 number = 0;
  for (const LocalSymbol &local : sections.locals) {
    if (local.kind != LocalSymbol::Kind::Entity)
      continue;
    const OutId bank = plan.layout.placement.address_of[local.id].section;
    const elf::SymbolId id = file.symbols.of_entity[local.id];
    if (!id.valid() || !bank.valid() || !is_compiler_bank(sections[bank], arch))
      continue;
    const SymbolRef first = mercury.symbols[EntityId(local.id)].first;
    if (first.object != object || first.symbol < next) {
      object = first.object;
      next = number = 0;
    }
    for (; next <= first.symbol; ++next)
      number += is_compiler_constant(inputs.objects[object.value], next, arch.banks.compiler);
    file.elf.symbols.edit(id, file.elf.sections).name = file.elf.sections.storage.keep(
        elf::mercury_link_name(sections.name(bank)) + "." + std::to_string(number));
  }
}

} // namespace

void rename_banks(const Program &mercury, const OutputPlan &plan, const SassInputs &inputs,
                  FileInProgress &file) {
  const OutputSections &sections = plan.layout.sections;
  u64 gap = 0;
  for (u32 i = elf::SectionTable::kOwnTables; i < sections.size(); ++i) {
    const OutId id(i);
    if (sections[id].discarded())
      continue;
    const std::string_view name = sections.name(id);
    const std::string old_name = elf::mercury_link_name(name);
    if (old_name == name)
      continue;
    const std::string_view kept = file.elf.sections.storage.keep(old_name);
    elf::SymbolSpec &symbol = file.elf.symbols.edit(file.symbols.of_section[i], file.elf.sections);
    symbol.name = kept;
    if (!sections[id].emitted()) {
      file.elf.sections.rename(id, kept);
      continue;
    }
    file.elf.rename_section(id, kept);
    gap += kept.size();
    if (!symbol.emitted)
      continue;
    file.elf.rename_symbol(file.symbols.of_section[i], name);
    gap -= name.size() + 1;
  }
  if (!mercury.policy.compacts_planes) {
    file.elf.sections.extra(elf::ElfFile::kShstrtab).gap_after = kIndexNamesRoom;
    file.elf.sections.extra(elf::ElfFile::kStrtab).gap_after = gap;
  }
  if (mercury.policy.resolves_early || mercury.policy.lists_resolved)
    number_compiler_constants(mercury, plan, inputs, file);
}

} // namespace culink
