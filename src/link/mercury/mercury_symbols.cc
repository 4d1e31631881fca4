// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A file with both forms of the code has two symbol tables. Symbols have the same number in both,
// so what names symbols by number is the same on both planes. Values and sizes differ: the Mercury
// plane has offsets of shared variables without the system's memory, and no sizes of some code.
//
// What may surprise: the table of the Mercury plane is made from a copy of the symbols, which is
// taken before those of the file become those of the SASS plane, and gets its bytes when the file
// is laid out, because these are offsets of names and indices of sections.
#include "link/mercury/mercury_symbols.h"

#include "base/bytes.h"
#include "elf/wire.h"
#include "link/resolve/special_symbols.h"

namespace culink {

using elf::wire::Sym64;

namespace {

// The index of the section that a symbol is in on the Mercury plane.
u32 section_index(const MercurySymtab &table, elf::SectionId own, const elf::ElfLayout &layout) {
  const elf::SectionId counterpart =
      own.value < table.counterpart_of.size() ? table.counterpart_of[own.value] : elf::SectionId();
  return layout.index_of(counterpart.valid() ? counterpart : own);
}

// A symbol has the size of its SASS if it has one in Mercury code. So does the owner of the code,
// unless an alias is taken for it, and that alias.
bool has_sass_size(const Program &p, const Layout &layout, const nvlink::AliasOwners &alias_owners,
                   EntityId id) {
  const SymbolRef prevailing = p.symbols[id].prevailing;
  if (prevailing.valid() && p.objects[prevailing.object.value].symbols[prevailing.symbol].size != 0)
    return true;
  const EntityId owner = layout.sections.function(layout.placement.address_of[id.value].section);
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

std::vector<u8> encode_symbols(const MercurySymtab &table, const elf::ElfFile &file,
                               const elf::ElfLayout &layout) {
  std::vector<u8> out(u64{table.numbers.count} * sizeof(Sym64));
  store_le(out.data(), Sym64{.st_value = table.null_symbol_value});
  for (u32 i = 0; i < table.symbols.size(); ++i) {
    const u32 number = table.numbers.of[i];
    if (number == 0)
      continue;
    const elf::SymbolSpec spec = table.symbols.without_name(elf::SymbolId(i));
    u32 section = spec.special_section;
    if (spec.section.valid()) {
      section = section_index(table, spec.section, layout);
      if (file.is_large_index(section))
        section = elf::kSectionXindex;
    }
    const u8 info =
        static_cast<u8>(static_cast<u32>(spec.binding) << 4 | static_cast<u32>(spec.type));
    store_fields<Sym64>(out.data() + u64{number} * sizeof(Sym64), layout.symbol_name[i], info,
                        spec.other, static_cast<u16>(section), spec.value, spec.size);
  }
  return out;
}

std::vector<u8> encode_indices(const MercurySymtab &table, const elf::ElfFile &file,
                               const elf::ElfLayout &layout) {
  std::vector<u8> out(u64{table.numbers.count} * sizeof(u32));
  for (u32 i = 0; i < table.symbols.size(); ++i) {
    const u32 number = table.numbers.of[i];
    const elf::SectionId own = table.symbols.without_name(elf::SymbolId(i)).section;
    if (number == 0 || !own.valid())
      continue;
    u8 *const word = out.data() + u64{number} * sizeof(u32);
    if (const u32 index = section_index(table, own, layout); file.is_large_index(index))
      store_le<u32>(word, index);
    else if (!layout.number_as_added.empty())
      store_le<u32>(word, layout.number_as_added[own.value]);
  }
  return out;
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
    elf::SymbolSpec &spec = file.elf.symbols.edit(id, file.elf.sections);
    if (is_reserved_shared_mark(entity.name))
      spec.value = inputs.objects[entity.first.object.value].symbols[entity.first.symbol].value;
    else if (address.section.valid() &&
             layout.sections[address.section].type == elf::SectionType::CudaReservedShared)
      spec.value = address.value + (executable ? inputs.arch.reserved_slot : 0);
    else if (const SassCode *code = entity.function ? sass.code.find(layout, EntityId(i)) : nullptr;
             code && is_inside_code(mercury, entity))
      place_inside_code(inputs, *code, entity.prevailing, spec);
    else if (code && has_sass_size(mercury, layout, sass.alias_owners, EntityId(i)))
      spec.size = sass_size(inputs, *code);
  }
}

} // namespace culink
