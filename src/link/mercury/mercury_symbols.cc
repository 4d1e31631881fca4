// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A file with both forms of the code has two symbol tables. Symbols have the same number in both,
// so what names symbols by number is the same on both planes. Values and sizes differ: the Mercury
// plane has offsets of shared variables without the system's memory, and no sizes of some code.
//
// What may surprise: the builder writes .symtab itself, but .nv.merc.symtab is content like any
// other, with fixups for names and section indices. It is written before the symbols of the builder
// become those of the SASS plane.
#include "link/mercury/mercury_symbols.h"

#include "base/bytes.h"
#include "link/resolve/special_symbols.h"

namespace culink {

using elf::Fixup;
using elf::SymbolPart;

namespace {

constexpr u64 kSymbolSize = 24, kIndexSize = 4;

void append_symbol(std::vector<u8> &table, const elf::SymbolSpec &spec) {
  constexpr u64 kInfo = 4, kOther = 5, kValue = 8,
                kSize = 16; // offsets in an entry
  table.resize(table.size() + kSymbolSize);
  u8 *entry = table.data() + table.size() - kSymbolSize;
  entry[kInfo] = static_cast<u8>(static_cast<u32>(spec.binding) << 4 | static_cast<u32>(spec.type));
  entry[kOther] = spec.other;
  store_le<u64>(entry + kValue, spec.value);
  store_le<u64>(entry + kSize, spec.size);
}

// A symbol has the size of its SASS if it has one in Mercury code. So does the owner of the code,
// unless an alias is taken for it, and that alias.
bool has_sass_size(const Program &p, const Layout &layout, const nvlink::AliasOwners &alias_owners,
                   EntityId id) {
  const SymbolRef prevailing = p.symbols[id].prevailing;
  if (prevailing.valid() && p.objects[prevailing.object.value].symbols[prevailing.symbol].size != 0)
    return true;
  const EntityId owner = layout.sections[layout.placement.address_of[id.value].section].function;
  const auto alias = alias_owners.owner_of.find(owner.value);
  return alias == alias_owners.owner_of.end() ? owner == id : alias->second == id;
}

u64 sass_size(const SassInputs &inputs, const SassCode &code) {
  const SymbolRef definition = code.definition;
  return code.finalized ? code.text.size()
                        : inputs.objects[definition.object.value].symbols[definition.symbol].size;
}

// A function inside the code of a kernel, as `nvcc -ewp` leaves it: where it is in the SASS.
bool is_inside_code(const Program &mercury, const Entity &function) {
  const SymbolRef definition = function.prevailing;
  return definition.valid() &&
         mercury.objects[definition.object.value].symbols[definition.symbol].value != 0;
}

void place_inside_code(const SassInputs &inputs, const SassCode &code, SymbolRef definition,
                       elf::SymbolSpec &spec) {
  const elf::Symbol &compiled = inputs.objects[definition.object.value].symbols[definition.symbol];
  const u64 end = compiled.value + compiled.size;
  spec.value = code.moves() ? code.moved(compiled.value) : compiled.value;
  spec.size = (code.moves() ? code.moved(end) : end) - spec.value;
}

} // namespace

u32 fill_mercury_symbols(const MercurySymtab &table,
                         const std::vector<elf::SectionId> &counterpart_of, u64 null_symbol_value,
                         elf::ElfBuilder &elf) {
  constexpr u64 kValue = 8, kSectionIndex = 6;
  std::vector<u8> bytes(kSymbolSize);
  store_le<u64>(bytes.data() + kValue, null_symbol_value);
  u64 locals = 0;
  for (const SymbolPart part : {SymbolPart::Local, SymbolPart::Global}) {
    if (part == SymbolPart::Global)
      locals = bytes.size() / kSymbolSize;
    for (u32 i = 0; i < elf.symbol_count(); ++i) {
      const elf::SymbolSpec spec = elf.symbol(elf::SymbolId(i));
      if (!spec.emitted || spec.part != part || !spec.named)
        continue;
      const u64 at = bytes.size();
      append_symbol(bytes, spec);
      elf.add_fixup(table.symbols, {at, Fixup::Kind::SymbolName, i});
      if (!spec.section.valid()) {
        store_le<u16>(bytes.data() + at + kSectionIndex, spec.special_section);
        continue;
      }
      elf::SectionId section = spec.section;
      if (section.value < counterpart_of.size() && counterpart_of[section.value].valid())
        section = counterpart_of[section.value];
      elf.add_fixup(table.symbols,
                    {at + kSectionIndex, Fixup::Kind::SectionIndexHalf, section.value});
      if (!table.indices.valid())
        continue;
      const u64 word = at / kSymbolSize * kIndexSize;
      elf.add_fixup(table.indices, {word, Fixup::Kind::SectionAsAdded, spec.section.value});
      elf.add_fixup(table.indices, {word, Fixup::Kind::LargeSectionIndex, section.value});
    }
  }
  const u32 count = static_cast<u32>(bytes.size() / kSymbolSize);
  elf.append_copy(table.symbols, bytes);
  if (table.indices.valid())
    elf.append_zeros(table.indices, u64{count} * kIndexSize);
  elf.edit_section(table.symbols).info = static_cast<u32>(locals);
  return count;
}

void convert_symbols(const Program &mercury, const OutputPlan &plan, const SassInputs &inputs,
                     const SassPlan &sass, FileInProgress &file) {
  const Layout &layout = plan.layout;
  const bool executable = mercury.policy.executable;
  if (executable) {
    const arch::ArchInfo arch = arch::as_plain_sass(inputs.arch);
    convert_to_sass_symbols(sass_program(mercury, inputs, arch), layout, plan.shared, file.symbols,
                            file.elf);
  }
  for (u32 i = 0; i < file.symbols.of_entity.size(); ++i) {
    const elf::SymbolId id = file.symbols.of_entity[i];
    if (!id.valid())
      continue;
    const Entity &entity = mercury.symbols[EntityId(i)];
    const SymbolAddress &address = layout.placement.address_of[i];
    elf::SymbolSpec &spec = file.elf.edit_symbol(id);
    if (is_reserved_shared_mark(entity.name))
      spec.value = inputs.objects[entity.first.object.value].symbols[entity.first.symbol].value;
    else if (address.section.valid() &&
             layout.sections[address.section].type() == elf::SectionType::CudaReservedShared)
      spec.value = address.value + (executable ? inputs.arch.reserved_slot : 0);
    else if (const SassCode *code = entity.function ? sass.code.find(layout, EntityId(i)) : nullptr;
             code && is_inside_code(mercury, entity))
      place_inside_code(inputs, *code, entity.prevailing, spec);
    else if (code && has_sass_size(mercury, layout, sass.alias_owners, EntityId(i)))
      spec.size = sass_size(inputs, *code);
  }
}

} // namespace culink
