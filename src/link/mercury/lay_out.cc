// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lays out one file from two plans. The plan of the Mercury plane defines the sections and symbols.
// Each of its sections becomes a section of the SASS plane and, after all of these, a counterpart
// with the Mercury content. So the order of the file is: the sections of the plan; constant bank 0
// of every kernel, which Mercury code does not have; capsules; the other counterparts; the symbol
// table of the Mercury plane.
//
// What may surprise: nvlink makes such a file from a file of the Mercury plane alone, and leaves
// traces: names of constant banks (rename_banks), symbols of bank 0 after the global ones, so that
// all of .symtab counts as local, and section names that are not shared with earlier ones.
#include "link/mercury/lay_out.h"

#include <algorithm>
#include <functional>

#include "elf/names.h"
#include "elf/target/reloc.h"
#include "elf/wire.h"
#include "link/mercury/plan_sass.h"
#include "link/mercury/sass_constants.h"
#include "link/mercury/sass_context.h"
#include "link/nvlink/intermediate_image.h"
#include "link/output/draft.h"
#include "link/output/draft_sections.h"
#include "link/resolve/special_symbols.h"
#include "support/bytes.h"

namespace culink {

// The symbol tables of the Mercury plane. Symbols have the same numbers as in .symtab.
struct MercurySymtab {
  elf::SectionId section; // .nv.merc.symtab
  elf::SectionId indices; // .nv.merc.symtab_shndx, in files with very many sections, or none
  elf::OutSymbols symbols;
  elf::SymbolNumbers numbers;
  std::vector<elf::SectionId> counterpart_of; // by SectionId; none: the symbol's own section
  u64 null_symbol_value = 0;
};

// A file with both forms of the code has two symbol tables. Symbols have the same number in both,
// so contents that name symbols by number are equal on both planes. Values and sizes differ: the
// Mercury plane has offsets of shared variables without the system's memory, and no sizes of some
// code.
//
// What may surprise: the table of the Mercury plane is a copy of the file's symbols, taken before
// these become the symbols of the SASS plane. It is encoded when the file is laid out, because it
// holds offsets of names and indices of sections.

using elf::wire::Sym64;

namespace {

// The index of the section that a symbol is in on the Mercury plane.
u32 section_index(const MercurySymtab &table, elf::SectionId own, const elf::ElfLayout &layout) {
  const elf::SectionId counterpart =
      own.value < table.counterpart_of.size() ? table.counterpart_of[own.value] : elf::SectionId();
  return layout.index_of(counterpart.valid() ? counterpart : own);
}

// True if a symbol has the size of its SASS: a symbol with a size in Mercury code, and the owner of
// the code, or the alias that is taken for the owner.
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

// True for a function inside the code of a kernel, as `nvcc -ewp` leaves it.
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

// Encodes the symbol table of the Mercury plane.
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

// Turns the file's symbols, which are those of the Mercury plane, into those of the SASS plane.
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

// Mercury code names constant banks after their use, SASS after their number. nvlink renames them
// in finished string tables. In .shstrtab the new name overwrites the old, longer one; in .strtab
// it follows all others, and the room that nvlink reserves leaves a gap after each table (Q101).
// lay_out_planes calls this before it adds the sections of the SASS plane that Mercury code does
// not have.
//
// What may surprise: in the plan, banks already have the names of the SASS plane, so the old names
// are made up here.

bool is_compiler_constant(const InputObject &object, u32 index, u8 bank) {
  const elf::Symbol &symbol = object.symbols[index];
  if (symbol.type() == elf::SymbolType::Section || !symbol.in_section())
    return false;
  const elf::SectionKind &kind = object.kinds[symbol.section];
  return kind.is_constant() && kind.bank == bank;
}

// nvlink names a compiler constant after its section and a number, which counts all compiler
// constants of the object, discarded ones included.
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

// Gives constant banks the names of the SASS plane, and leaves the traces in the tables of names
// that nvlink's renaming leaves. All sections of the plan must have been added, and no others.
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

using elf::Bucket;
using elf::SectionType;

constexpr auto kParameterBucket = static_cast<Bucket>(8), kFrontBucket = static_cast<Bucket>(9),
               kFirstCounterpart = static_cast<Bucket>(10), kSymtabBucket = static_cast<Bucket>(40),
               kDriverCallBucket = static_cast<Bucket>(41);

// The state that the parts of this file share.
struct PlaneLayout {
  const Program &mercury;
  const OutputPlan &plan;
  const SassInputs &inputs;
  const SassPlan &sass;
  FileInProgress &file;

  [[nodiscard]] elf::SectionTable &sections() const { return file.elf.sections; }
  [[nodiscard]] std::string_view keep_name(std::string_view name) const {
    return sections().storage.keep(name);
  }
  // Adds a symbol that only the SASS plane has, after all others, and its name after all names.
  [[nodiscard]] elf::SymbolId add_symbol(std::string_view name, elf::SymbolSpec spec) const {
    spec.part = elf::SymbolPart::Global;
    spec.named = false;
    const elf::SymbolId symbol = file.elf.symbols.add(spec);
    file.elf.rename_symbol(symbol, name);
    file.numbers.of.push_back(file.numbers.count++);
    return symbol;
  }
  [[nodiscard]] const OutSection &section(OutId id) const { return plan.layout.sections[id]; }
  [[nodiscard]] std::string_view name(OutId id) const { return plan.layout.sections.name(id); }
  [[nodiscard]] bool compact() const { return mercury.policy.compacts_planes; }
  [[nodiscard]] EntityId function(OutId id) const { return plan.layout.sections.function(id); }
};

// Sections after those of the plan.
struct AddedSections {
  std::vector<elf::SectionId> counterpart_of; // by OutId, or none
  // By OutId: where the content of the Mercury plane goes.
  std::vector<elf::SectionId> mercury_content;
  std::vector<elf::SymbolId> parameter_symbol; // by OutId of a text section: of its bank 0
  u32 symbols_behind = 0;                      // of bank 0, after the global ones
  std::vector<elf::SymbolId> driver_functions; // by callee of DriverCalls, after those
  MercurySymtab symtab;
};

// A file with the symbols and headers of the plan, but no contents: these go to counterparts.
FileInProgress begin_planes(const Program &mercury, const OutputPlan &plan, NameStorage names) {
  elf::SectionTable sections;
  sections.names = plan.layout.sections.table.names;
  sections.list = plan.layout.sections.table.list;
  sections.storage = std::move(names);
  for (OutSection &section : sections.list)
    section.extra = OutSection::kNoExtra;
  FileInProgress file = begin_file(mercury, plan, std::move(sections), elf::SegmentRule::Mercury);
  for (u32 i = 0; i < plan.layout.sections.size(); ++i) {
    file.elf.sections[OutId(i)].first = {};
    file.elf.sections[OutId(i)].size = 0;
  }
  return file;
}

// Adds banks in the order of the code. A kernel with images already has its bank.
void add_parameter_banks(const PlaneLayout &l, AddedSections &added) {
  added.parameter_symbol.resize(l.plan.layout.sections.size());
  for (const ParameterBank &bank : l.sass.parameter_banks) {
    if (bank.images.valid()) {
      added.parameter_symbol[bank.text.value] = l.file.symbols.of_section[bank.images.value];
      continue;
    }
    const elf::Section &from = *bank.section;
    const elf::SectionId id = l.sections().add(
        from.name, {.type = l.mercury.policy.executable ? SectionType::Progbits : from.type,
                    .flags = from.flags | elf::kFlagInfoLink,
                    .align = from.align,
                    .info = bank.text,
                    .presence = elf::Presence::Always,
                    .bucket = kParameterBucket});
    l.sections().append(id, from.data);
    added.parameter_symbol[bank.text.value] =
        l.add_symbol(from.name, {.name = from.name,
                                 .binding = elf::SymbolBinding::Local,
                                 .type = elf::SymbolType::Section,
                                 .section = id});
    ++added.symbols_behind;
  }
}

void add_driver_functions(const PlaneLayout &l, AddedSections &added) {
  for (const std::string_view name : l.sass.driver_calls.callees)
    added.driver_functions.push_back(l.add_symbol(
        name,
        {.name = name, .binding = elf::SymbolBinding::Global, .type = elf::SymbolType::Function}));
}

// True if code has relocations; the table is then on both planes.
bool has_relocation_table(const PlaneLayout &l, OutId text) {
  const OutId table = relocation_table_of(l.plan.layout, text);
  return table.valid() && l.section(table).emitted();
}

// Precondition: only counterparts that are not capsules, and the symbol table of the Mercury plane,
// are still missing.
bool needs_large_indices(const PlaneLayout &l) {
  u64 count = 2; // the null section and the symbol table
  for (const elf::OutSection &section : l.sections().list)
    count += section.emitted() ? 1 : 0;
  for (const OutId id : l.sass.shape.order)
    count += l.sass.shape.counterpart_of(id) != Counterpart::None &&
                     l.sass.shape.counterpart_of(id) != Counterpart::Capsule
                 ? 1
                 : 0;
  for (const DriverCalls::Caller &caller : l.sass.driver_calls.callers)
    count += has_relocation_table(l, caller.text) ? 0 : 1;
  return count >= elf::kSectionLoReserve;
}

void add_counterparts_of(const PlaneLayout &l, bool capsules, AddedSections &added) {
  for (const OutId id : l.sass.shape.order) {
    const Counterpart kind = l.sass.shape.counterpart_of(id);
    if (kind == Counterpart::None || (kind == Counterpart::Capsule) != capsules)
      continue;
    const OutSection header =
        counterpart_header(l.plan.layout.sections, id, kind, l.file.symbols, !l.compact());
    const elf::SectionId out =
        l.sections().add(l.keep_name(elf::mercury_counterpart_name(l.name(id))), header);
    if (kind == Counterpart::Shared)
      l.sections().extra(out).shares_bytes_with = id;
    added.counterpart_of[id.value] = out;
    if (kind != Counterpart::Shared && kind != Counterpart::Memory)
      added.mercury_content[id.value] = out;
  }
}

void add_counterparts(const PlaneLayout &l, AddedSections &added) {
  added.counterpart_of.resize(l.plan.layout.sections.size());
  added.mercury_content.resize(l.plan.layout.sections.size());
  for (u32 i = 0; i < added.mercury_content.size(); ++i)
    added.mercury_content[i] = OutId(i);
  add_counterparts_of(l, true, added);
  if (needs_large_indices(l))
    added.symtab.indices =
        l.sections().add(".nv.merc.symtab_shndx", {.type = SectionType::SymtabShndx,
                                                   .flags = elf::kFlagMercury,
                                                   .align = 4,
                                                   .entsize = 4,
                                                   .presence = elf::Presence::Always,
                                                   .bucket = kFirstCounterpart});
  add_counterparts_of(l, false, added);
  added.symtab.section =
      l.sections().add(".nv.merc.symtab", {.type = SectionType::MercurySymtab,
                                           .flags = elf::kFlagMercury,
                                           .align = 8,
                                           .entsize = 24,
                                           .link = elf::ElfFile::kStrtab,
                                           .presence = elf::Presence::Always,
                                           .bucket = l.compact() ? kFrontBucket : kSymtabBucket});
  if (added.symtab.indices.valid())
    l.sections()[added.symtab.indices].link = added.symtab.section;
  for (const OutId id : l.sass.shape.order) {
    const OutSection &s = l.section(id);
    if (l.sass.shape.counterpart_of(id) == Counterpart::None)
      continue;
    elf::OutSection &header = l.sections()[added.counterpart_of[id.value]];
    if (s.link == elf::ElfFile::kSymtab)
      header.link = added.symtab.section;
    if (s.target().valid() && !l.function(id).valid())
      header.info = added.counterpart_of[s.target().value];
  }
}

// Returns each callee of a function once.
std::vector<AddedCall> calls_of_driver(const PlaneLayout &l, const AddedSections &added) {
  std::vector<AddedCall> out;
  for (const DriverCalls::Caller &caller : l.sass.driver_calls.callers)
    for (auto call = caller.calls.begin(); call != caller.calls.end(); ++call)
      if (std::none_of(caller.calls.begin(), call, [&](const DriverCalls::Call &earlier) {
            return earlier.callee == call->callee;
          }))
        out.push_back({l.function(caller.text), added.driver_functions[call->callee]});
  return out;
}

// Fills in all contents of the Mercury plane except code, because capsules depend on the SASS.
void fill_mercury_plane(const PlaneLayout &l, const AddedSections &added, Diagnostics &diag) {
  for (const OutId id : l.sass.shape.order) {
    const Counterpart kind = l.sass.shape.counterpart_of(id);
    if (kind == Counterpart::Capsule)
      continue;
    fill_section(l.mercury, l.plan, id, added.mercury_content[id.value], l.sections());
    if (kind == Counterpart::Equal)
      fill_section(l.mercury, l.plan, id, id, l.sections());
    else if (kind == Counterpart::Shared)
      l.sections()[added.counterpart_of[id.value]].size = l.sections()[id].size;
  }
  fill_synthetic(l.plan, ContentOf(added.mercury_content), l.sass.compat, l.file);
  fill_calls(l.mercury, l.plan, ContentOf(added.mercury_content), l.file);
  if (l.mercury.policy.mirrors_calls)
    fill_calls(l.mercury, l.plan, {}, l.file, calls_of_driver(l, added));
  fill_unified(l.plan, ContentOf(added.mercury_content), l.file);
  fill_unified(l.plan, {}, l.file);
  fill_relocations(l.mercury, l.plan, ContentOf(added.mercury_content), l.file, diag);
}

// Reserved shared memory takes room in the file on the Mercury plane. A section of memory has no
// content, so the bytes of the emulated nvlink are a patch.
std::vector<FilePatch> fill_memory(const PlaneLayout &l, const AddedSections &added,
                                   u32 first_added) {
  std::vector<FilePatch> out;
  for (const OutId id : l.sass.shape.order) {
    if (l.sass.shape.counterpart_of(id) != Counterpart::Memory)
      continue;
    const elf::SectionId to = added.counterpart_of[id.value];
    l.sections()[to].size = l.section(id).size;
    if (l.compact())
      continue;
    l.sections().extra(to).gap_after = l.section(id).size;
    std::vector<u8> bytes =
        nvlink::bytes_of_memory({l.mercury, l.plan.layout, l.file.elf, l.sass.shape.order,
                                 added.mercury_content, first_added, l.plan.synthetic.compat},
                                id);
    if (!bytes.empty())
      out.push_back({to, std::move(bytes)});
  }
  return out;
}

// Shared memory of executables begins with the area that the system reserves.
void fill_sass_memory(const PlaneLayout &l) {
  if (!l.mercury.policy.executable)
    return;
  for (const OutId id : l.sass.shape.order)
    if (const SectionType type = l.section(id).type; type == SectionType::CudaShared)
      l.sections()[id].size += l.inputs.arch.reserved_shared;
    else if (type == SectionType::CudaReservedShared)
      l.sections()[id].size += l.inputs.arch.reserved_slot;
}

// Records name a bank by the code it belongs to.
void fill_sass_records(const PlaneLayout &l, const AddedSections &added,
                       const RecordList &module_records) {
  OutputSymbols symbols{l.file.symbols.of_entity, l.file.symbols.of_section, {}, {}};
  for (u32 i = 0; i < added.parameter_symbol.size(); ++i)
    if (added.parameter_symbol[i].valid())
      symbols.of_section[i] = added.parameter_symbol[i];
  const OutId module = l.plan.layout.sections.info;
  const auto append = [&](OutId id, const RecordList &records) {
    l.sections().append_copy(id, records.bytes());
  };
  if (module.valid() && l.section(module).emitted())
    append(module, store_numbers(module_records, symbols, l.file));
  for (const SassRecords::List &list : l.sass.records.lists) {
    RecordList records = store_numbers(list.records, symbols, l.file);
    for (const SassRecords::CalleeWord &word : list.callees)
      store_le<u32>(records.open_bytes().data() + word.offset,
                    l.file.number_of(added.driver_functions[word.callee]));
    append(list.section, records);
  }
}

// Code without relocations gets a table for its calls of the driver at the end of the file.
std::vector<elf::SectionId> add_tables_of_driver_calls(const PlaneLayout &l) {
  std::vector<elf::SectionId> out;
  for (const DriverCalls::Caller &caller : l.sass.driver_calls.callers) {
    if (has_relocation_table(l, caller.text)) {
      out.push_back(relocation_table_of(l.plan.layout, caller.text));
      continue;
    }
    OutSection table = elf::relocation_table(caller.text, true);
    table.presence = elf::Presence::Always;
    table.bucket = kDriverCallBucket;
    out.push_back(l.sections().add(l.keep_name(".rela" + std::string(l.name(caller.text))), table));
  }
  return out;
}

// Slots of images, relocations that both planes have, and calls of the driver.
void fill_sass_relocations(const PlaneLayout &l, const AddedSections &added) {
  const u64 base = l.plan.images.slot_base;
  const std::vector<elf::SectionId> call_tables = add_tables_of_driver_calls(l);
  fill_tables(l.file, [&](auto add) {
    for (const SlotTable &table : l.plan.images.tables)
      for (const SlotRelocation &entry : table.entries)
        add(table.table, {entry.offset + base, arch::find_reloc(entry.type)->sass.data,
                          l.file.symbols.of_entity[entry.image.value], 0});
    for (const KeptRelocation &kept : l.sass.relocations.kept)
      add(kept.table, {kept.offset, kept.type, symbol_of(l.file.symbols, kept), kept.addend});
    for (size_t i = 0; i < call_tables.size(); ++i)
      for (const DriverCalls::Call &call : l.sass.driver_calls.callers[i].calls)
        add(call_tables[i],
            {call.offset, call.type, added.driver_functions[call.callee], call.addend});
  });
}

// The list of images becomes bank 0 of the kernel: its parameters, then the slots.
void fill_image_banks(const PlaneLayout &l) {
  for (const ImageBank &bank : l.sass.image_banks) {
    const elf::SectionId id = bank.images;
    l.sections().append(id, bank.parameters);
    elf::OutSection &out = l.sections()[id];
    out.size = l.plan.images.slot_base + l.section(bank.images).size;
    out.bucket = Bucket::Constants;
  }
}

void fill_sass_plane(const PlaneLayout &l, const AddedSections &added,
                     const RecordList &module_records) {
  elf::SectionTable &sections = l.sections();
  fill_sass_memory(l);
  for (const OutId id : l.sass.shape.order)
    if (l.function(id).valid())
      sections.append(id, l.sass.code[id].text);
  for (const SectionBytes &capsule : l.sass.capsules) {
    const elf::SectionId out = added.counterpart_of[capsule.section.value];
    sections.append(out, capsule.bytes);
    sections.add_fixup(out, {0, elf::Fixup::Kind::SectionIndex, capsule.section.value});
  }
  fill_sass_records(l, added, module_records);
  fill_image_banks(l);
  for (const auto &list : {std::cref(l.sass.compiler_banks), std::cref(l.sass.debug)})
    for (const SectionBytes &section : list.get())
      sections.append(section.section, section.bytes);
  fill_sass_relocations(l, added);
}

// Values of both planes by section. Those of the Mercury plane go to sections with its content;
// capsules have theirs already.
FoldedRelocations join_values(FoldedRelocations mercury, const SassPlan &sass,
                              const AddedSections &added) {
  std::erase_if(mercury, [&](const FoldedRelocation &value) {
    const Counterpart kind = sass.shape.counterpart_of(value.section);
    return kind != Counterpart::Own && kind != Counterpart::Equal && kind != Counterpart::Memory;
  });
  for (FoldedRelocation &value : mercury)
    value.section = added.counterpart_of[value.section.value];
  mercury.insert(mercury.begin(), sass.relocations.folded.begin(), sass.relocations.folded.end());
  return mercury;
}

void measure_symbol_tables(const PlaneLayout &l, AddedSections &added) {
  const u64 count = added.symtab.numbers.count;
  const u32 locals = added.symtab.numbers.first_global;
  added.symtab.counterpart_of.resize(l.sections().size());
  for (const OutId id : l.sass.shape.order)
    added.symtab.counterpart_of[id.value] = added.counterpart_of[id.value];
  elf::OutSection &symbols = l.sections()[added.symtab.section];
  symbols.size = count * symbols.entsize;
  symbols.info = locals;
  if (const elf::SectionId indices = added.symtab.indices; indices.valid())
    l.sections()[indices].size = count * l.sections()[indices].entsize;
  if (added.symbols_behind != 0)
    l.sections()[elf::ElfFile::kSymtab].info = static_cast<u32>(count) + added.symbols_behind;
}

FileDraft fill_symbol_tables(const MercurySymtab &table, FileDraft draft) {
  const auto fill = [&](elf::SectionId id, std::vector<u8> bytes) {
    draft.elf.sections[id].first = draft.contents.emplace_back(std::move(bytes));
  };
  fill(table.section, encode_symbols(table, draft.elf, draft.layout));
  if (table.indices.valid())
    fill(table.indices, encode_indices(table, draft.elf, draft.layout));
  return draft;
}

// Returns the contents that the file borrows.
std::vector<std::vector<u8>> take_contents(SassPlan sass) {
  std::vector<std::vector<u8>> out;
  for (std::vector<SectionBytes> *list : {&sass.capsules, &sass.compiler_banks, &sass.debug})
    for (SectionBytes &section : *list)
      out.push_back(std::move(section.bytes));
  return out;
}

} // namespace

std::optional<FileDraft> lay_out_planes(const Program &mercury, OutputPlan plan,
                                        const SassInputs &inputs, SassPlan sass, WorkerPool &pool,
                                        Diagnostics &diag) {
  FileInProgress file = begin_planes(mercury, plan, std::move(plan.layout.sections.table.storage));
  // Words are still open, because they name other symbols than on the Mercury plane.
  const RecordList module_records =
      sass.records.module.empty() ? plan.info.module : sass.records.module;
  plan.info = store_numbers(std::move(plan.info), file, pool);
  const PlaneLayout l{mercury, plan, inputs, sass, file};
  AddedSections added;
  added.symtab.symbols = file.elf.symbols;
  added.symtab.numbers = file.elf.symbols.numbers();
  added.symtab.null_symbol_value = plan.layout.placement.null_symbol_value;
  rename_banks(mercury, plan, inputs, file);
  const u32 first_added = file.elf.sections.size();
  file.elf.name_separately_from_here();
  add_parameter_banks(l, added);
  add_driver_functions(l, added);
  add_counterparts(l, added);
  fill_mercury_plane(l, added, diag);
  std::vector<FilePatch> patches = fill_memory(l, added, first_added);
  fill_sass_plane(l, added, module_records);
  convert_symbols(mercury, plan, inputs, sass, file);
  measure_symbol_tables(l, added);

  plan.relocations.folded = join_values(std::move(plan.relocations.folded), sass, added);
  elf::SymbolNumbers numbers = file.elf.symbols.numbers();
  std::optional<FileDraft> draft =
      finish_file(std::move(plan), std::move(file.elf), std::move(numbers), pool, diag);
  if (draft) {
    draft->patches = std::move(patches);
    draft->finalized = std::move(sass.finalized);
    draft->contents = take_contents(std::move(sass));
    draft = fill_symbol_tables(added.symtab, std::move(*draft));
  }
  return draft;
}

} // namespace culink
