// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One file from two plans. The plan of the Mercury plane says which sections and symbols there are;
// each section of it becomes a section of the SASS plane and, behind all of them, a counterpart
// that has its content. So the order of the file is: the sections of the plan; constant bank 0 of
// every kernel, which Mercury code does not know; capsules; the other counterparts; the symbol
// table of the Mercury plane.
//
// What may surprise: nvlink makes such a file from one that has the Mercury plane alone, and traces
// of that show: names of constant banks (bank_names.cc), symbols of bank 0 after the global ones,
// so that all of .symtab counts as local, and section names that are not shared with earlier ones.
#include "link/mercury/lay_out.h"

#include <algorithm>
#include <functional>

#include "arch/reloc.h"
#include "elf/mercury_names.h"
#include "link/mercury/bank_names.h"
#include "link/mercury/mercury_symbols.h"
#include "link/nvlink/intermediate_image.h"
#include "link/output/draft_sections.h"

namespace culink {

using elf::Bucket;
using elf::SectionType;

namespace {

constexpr auto kParameterBucket = static_cast<Bucket>(8), kFrontBucket = static_cast<Bucket>(9),
               kFirstCounterpart = static_cast<Bucket>(10), kSymtabBucket = static_cast<Bucket>(40),
               kDriverCallBucket = static_cast<Bucket>(41);

// What the parts of this file share.
struct PlaneLayout {
  const Program &mercury;
  const OutputPlan &plan;
  const SassInputs &inputs;
  const SassPlan &sass;
  FileInProgress &file;

  [[nodiscard]] const OutSection &section(OutId id) const { return plan.layout.sections[id]; }
  [[nodiscard]] std::string_view name(OutId id) const { return plan.layout.sections.name(id); }
  [[nodiscard]] bool compact() const { return mercury.policy.compacts_planes; }
  [[nodiscard]] elf::SectionId sass_section(OutId id) const { return file.section_of[id.value]; }
};

// Sections behind those of the plan.
struct AddedSections {
  std::vector<elf::SectionId> counterpart_of; // by OutId, or none
  // By OutId: where the content of the Mercury plane goes.
  std::vector<elf::SectionId> mercury_content;
  std::vector<elf::SymbolId> parameter_symbol; // by OutId of a text section: of its bank 0
  u32 symbols_behind = 0;                      // of bank 0, after the global ones
  std::vector<elf::SymbolId> driver_functions; // by callee of DriverCalls, behind those
  MercurySymtab symtab;
};

void add_sass_headers(const PlaneLayout &l) {
  for (u32 i = 0; i < l.plan.layout.sections.size(); ++i) {
    if (l.plan.layout.sections.list[i].discarded())
      continue;
    elf::SectionSpec header = section_header(l.plan, l.file, OutId(i));
    if (l.mercury.policy.executable && header.emitted)
      header.type = type_in_executable(header.type);
    l.file.elf.add_section(header);
  }
  finish_headers(l.plan, l.file);
}

// In the order of the code. The bank of a kernel with images is there already.
void add_parameter_banks(const PlaneLayout &l, AddedSections &added) {
  added.parameter_symbol.resize(l.plan.layout.sections.size());
  for (const ParameterBank &bank : l.sass.parameter_banks) {
    if (bank.images.valid()) {
      added.parameter_symbol[bank.text.value] = l.file.symbols.of_section[bank.images.value];
      continue;
    }
    const elf::Section &from = *bank.section;
    const elf::SectionId id = l.file.elf.add_section(
        {.name = from.name,
         .type = l.mercury.policy.executable ? SectionType::Progbits : from.type,
         .flags = from.flags | elf::kFlagInfoLink,
         .align = from.align,
         .info = l.sass_section(bank.text),
         .bucket = kParameterBucket});
    l.file.elf.append(id, from.data);
    const elf::SymbolId symbol = l.file.elf.add_symbol({.name = from.name,
                                                        .binding = elf::SymbolBinding::Local,
                                                        .type = elf::SymbolType::Section,
                                                        .section = id,
                                                        .part = elf::SymbolPart::Global,
                                                        .named = false});
    l.file.elf.rename_symbol(symbol, from.name);
    added.parameter_symbol[bank.text.value] = symbol;
    ++added.symbols_behind;
  }
}

void add_driver_functions(const PlaneLayout &l, AddedSections &added) {
  for (const std::string_view name : l.sass.driver_calls.callees) {
    const elf::SymbolId symbol = l.file.elf.add_symbol({.name = name,
                                                        .binding = elf::SymbolBinding::Global,
                                                        .type = elf::SymbolType::Function,
                                                        .part = elf::SymbolPart::Global,
                                                        .named = false});
    l.file.elf.rename_symbol(symbol, name);
    added.driver_functions.push_back(symbol);
  }
}

// On both planes.
bool has_relocation_table(const PlaneLayout &l, OutId text) {
  const OutId table = relocation_table_of(l.plan.layout, text);
  return table.valid() && l.sass.shape.is_emitted[table.value];
}

// Precondition: only counterparts that are not capsules, and the symbol table of the Mercury plane,
// are still missing.
bool needs_large_indices(const PlaneLayout &l) {
  u64 count = 2; // the null section and the symbol table
  for (u32 i = 0; i < l.file.elf.section_count(); ++i)
    count += l.file.elf.kind_of(elf::SectionId(i)).emitted ? 1 : 0;
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
    elf::SectionSpec header =
        counterpart_header(l.plan.layout.sections, id, kind, l.file.symbols, !l.compact());
    header.name = keep_name(l.plan, elf::mercury_counterpart_name(l.name(id)));
    if (kind == Counterpart::Shared)
      header.shares_bytes_with = l.sass_section(id);
    const elf::SectionId out = l.file.elf.add_section(header);
    added.counterpart_of[id.value] = out;
    if (kind != Counterpart::Shared && kind != Counterpart::Memory)
      added.mercury_content[id.value] = out;
  }
}

void add_counterparts(const PlaneLayout &l, AddedSections &added) {
  elf::ElfBuilder &elf = l.file.elf;
  added.counterpart_of.resize(l.plan.layout.sections.size());
  added.mercury_content.assign(l.file.section_of.begin(), l.file.section_of.end());
  add_counterparts_of(l, true, added);
  if (needs_large_indices(l))
    added.symtab.indices = elf.add_section({.name = ".nv.merc.symtab_shndx",
                                            .type = SectionType::SymtabShndx,
                                            .flags = elf::kFlagMercury,
                                            .align = 4,
                                            .entsize = 4,
                                            .bucket = kFirstCounterpart});
  add_counterparts_of(l, false, added);
  added.symtab.symbols = elf.add_section({.name = ".nv.merc.symtab",
                                          .type = SectionType::MercurySymtab,
                                          .flags = elf::kFlagMercury,
                                          .align = 8,
                                          .entsize = 24,
                                          .link = elf.strtab(),
                                          .bucket = l.compact() ? kFrontBucket : kSymtabBucket});
  if (added.symtab.indices.valid())
    elf.edit_section(added.symtab.indices).link = added.symtab.symbols;
  for (const OutId id : l.sass.shape.order) {
    const OutSection &s = l.section(id);
    if (l.sass.shape.counterpart_of(id) == Counterpart::None)
      continue;
    elf::SectionSpec &header = elf.edit_section(added.counterpart_of[id.value]);
    if (s.links_symtab)
      header.link = added.symtab.symbols;
    if (s.target.valid() && !s.function.valid())
      header.info = added.counterpart_of[s.target.value];
  }
}

// Everything that the plan of the Mercury plane holds, but for code, whose capsules need to know
// the SASS.
// Each callee of a function once.
std::vector<AddedCall> calls_of_driver(const PlaneLayout &l, const AddedSections &added) {
  std::vector<AddedCall> out;
  for (const DriverCalls::Caller &caller : l.sass.driver_calls.callers)
    for (auto call = caller.calls.begin(); call != caller.calls.end(); ++call)
      if (std::none_of(caller.calls.begin(), call, [&](const DriverCalls::Call &earlier) {
            return earlier.callee == call->callee;
          }))
        out.push_back({l.section(caller.text).function, added.driver_functions[call->callee]});
  return out;
}

void fill_mercury_plane(const PlaneLayout &l, const AddedSections &added, WorkerPool &pool,
                        Diagnostics &diag) {
  elf::ElfBuilder &elf = l.file.elf;
  RecordWriter records(elf, l.file.symbols);
  for (const OutId id : l.sass.shape.order) {
    const Counterpart kind = l.sass.shape.counterpart_of(id);
    if (kind == Counterpart::Capsule)
      continue;
    fill_section(l.mercury, l.plan, id, added.mercury_content[id.value], records, elf);
    if (kind == Counterpart::Equal)
      fill_section(l.mercury, l.plan, id, l.sass_section(id), records, elf);
    else if (kind == Counterpart::Shared)
      elf.append_zeros(added.counterpart_of[id.value], elf.size(l.sass_section(id)));
  }
  fill_synthetic(l.plan, added.mercury_content, l.sass.compat, records, l.file);
  fill_calls(l.mercury, l.plan, added.mercury_content, pool, l.file);
  if (l.mercury.policy.mirrors_calls)
    fill_calls(l.mercury, l.plan, l.file.section_of, pool, l.file, calls_of_driver(l, added));
  fill_unified(l.plan, added.mercury_content, l.file);
  fill_unified(l.plan, l.file.section_of, l.file);
  fill_relocations(l.mercury, l.plan, added.mercury_content, l.file, diag);
}

// Reserved shared memory takes room in the file on the Mercury plane. The builder writes no bytes
// of memory; what the emulated nvlink has there is a patch.
std::vector<FilePatch> fill_memory(const PlaneLayout &l, const AddedSections &added,
                                   u32 first_added) {
  std::vector<FilePatch> out;
  for (const OutId id : l.sass.shape.order) {
    if (l.sass.shape.counterpart_of(id) != Counterpart::Memory)
      continue;
    const elf::SectionId to = added.counterpart_of[id.value];
    l.file.elf.append_zeros(to, l.section(id).size);
    if (l.compact())
      continue;
    l.file.elf.edit_section(to).gap_after = l.section(id).size;
    std::vector<u8> bytes =
        nvlink::bytes_of_memory({l.mercury, l.plan.layout, l.file.elf, l.sass.shape.order,
                                 added.mercury_content, first_added, l.plan.synthetic.compat},
                                id);
    if (!bytes.empty())
      out.push_back({to, std::move(bytes)});
  }
  return out;
}

// Memory of executables begins with what the system reserves.
void fill_sass_memory(const PlaneLayout &l) {
  if (!l.mercury.policy.executable)
    return;
  for (const OutId id : l.sass.shape.order)
    if (const SectionType type = l.section(id).type(); type == SectionType::CudaShared)
      l.file.elf.append_zeros(l.sass_section(id), l.inputs.arch.reserved_shared);
    else if (type == SectionType::CudaReservedShared)
      l.file.elf.append_zeros(l.sass_section(id), l.inputs.arch.reserved_slot);
}

void fill_sass_records(const PlaneLayout &l, const AddedSections &added) {
  // Records name a bank by the code it belongs to.
  OutputSymbols symbols{l.file.symbols.of_entity, l.file.symbols.of_section, {}};
  for (u32 i = 0; i < added.parameter_symbol.size(); ++i)
    if (added.parameter_symbol[i].valid())
      symbols.of_section[i] = added.parameter_symbol[i];
  RecordWriter records(l.file.elf, symbols);
  const OutId module = l.plan.layout.sections.info;
  const SassRecords &all = l.sass.records;
  if (module.valid() && l.sass.shape.is_emitted[module.value])
    records.fill(l.sass_section(module), all.module.empty() ? l.plan.info.module : all.module);
  for (const SassRecords::List &list : all.lists) {
    const elf::SectionId to = l.sass_section(list.section);
    records.fill(to, list.records);
    for (const SassRecords::CalleeWord &word : list.callees)
      l.file.elf.add_fixup(to, {word.offset, elf::Fixup::Kind::SymbolNumber,
                                added.driver_functions[word.callee].value});
  }
}

// Behind the relocations that both planes have; code without any gets a table at the end of the
// file.
void fill_driver_calls(const PlaneLayout &l, const AddedSections &added) {
  for (const DriverCalls::Caller &caller : l.sass.driver_calls.callers) {
    const elf::SectionId table =
        has_relocation_table(l, caller.text)
            ? l.sass_section(relocation_table_of(l.plan.layout, caller.text))
            : l.file.elf.add_section(
                  {.name = keep_name(l.plan, ".rela" + std::string(l.name(caller.text))),
                   .type = SectionType::Rela,
                   .flags = elf::kFlagInfoLink,
                   .align = 8,
                   .entsize = 24,
                   .link = l.file.elf.symtab(),
                   .info = l.sass_section(caller.text),
                   .bucket = kDriverCallBucket});
    for (const DriverCalls::Call &call : caller.calls)
      l.file.elf.add_relocation(
          table, {call.offset, call.type, added.driver_functions[call.callee], call.addend});
  }
}

// The list of images becomes bank 0 of the kernel: its parameters, then the slots.
void fill_image_banks(const PlaneLayout &l) {
  elf::ElfBuilder &elf = l.file.elf;
  const u64 base = l.plan.images.slot_base;
  for (const ImageBank &bank : l.sass.image_banks) {
    const elf::SectionId out = l.sass_section(bank.images);
    elf.append(out, bank.parameters);
    elf.append_zeros(out, base + l.section(bank.images).size - elf.size(out));
    elf.edit_section(out).bucket = Bucket::Constants;
  }
  for (const SlotTable &table : l.plan.images.tables)
    for (const SlotRelocation &entry : table.entries)
      elf.add_relocation(l.sass_section(table.table),
                         {entry.offset + base, arch::find_reloc(entry.type)->sass.data,
                          l.file.symbols.of_entity[entry.image.value], 0});
}

void fill_sass_plane(const PlaneLayout &l, const AddedSections &added) {
  elf::ElfBuilder &elf = l.file.elf;
  fill_sass_memory(l);
  for (const OutId id : l.sass.shape.order)
    if (l.section(id).function.valid())
      elf.append(l.sass_section(id), l.sass.code[id].text);
  for (const SectionBytes &capsule : l.sass.capsules) {
    const elf::SectionId out = added.counterpart_of[capsule.section.value];
    elf.append(out, capsule.bytes);
    elf.add_fixup(out, {0, elf::Fixup::Kind::SectionIndex, l.sass_section(capsule.section).value});
  }
  fill_sass_records(l, added);
  fill_image_banks(l);
  for (const auto &sections : {std::cref(l.sass.compiler_banks), std::cref(l.sass.debug)})
    for (const SectionBytes &section : sections.get())
      elf.append(l.sass_section(section.section), section.bytes);
  for (const KeptRelocation &kept : l.sass.relocations.kept)
    elf.add_relocation(l.sass_section(kept.table),
                       {kept.offset, kept.type, symbol_of(l.file.symbols, kept), kept.addend});
  fill_driver_calls(l, added);
}

// Values of both planes by section, where counterparts come after the sections of the plan. Those
// of the Mercury plane go to sections with its content; capsules have theirs already.
FoldedRelocations join_values(FoldedRelocations mercury, const SassPlan &sass) {
  const u32 count = static_cast<u32>(sass.shape.counterpart.size());
  std::erase_if(mercury, [&](const FoldedRelocation &value) {
    const Counterpart kind = sass.shape.counterpart_of(value.section);
    return kind != Counterpart::Own && kind != Counterpart::Equal && kind != Counterpart::Memory;
  });
  for (FoldedRelocation &value : mercury)
    value.section = OutId(value.section.value + count);
  mercury.insert(mercury.begin(), sass.relocations.folded.begin(), sass.relocations.folded.end());
  return mercury;
}

// Contents that the file borrows.
std::vector<std::vector<u8>> take_contents(SassPlan sass) {
  std::vector<std::vector<u8>> out;
  for (std::vector<SectionBytes> *list : {&sass.capsules, &sass.compiler_banks, &sass.debug})
    for (SectionBytes &section : *list)
      out.push_back(std::move(section.bytes));
  for (SassRecords::List &list : sass.records.lists)
    out.push_back(list.records.take_bytes());
  out.push_back(sass.records.module.take_bytes());
  return out;
}

} // namespace

std::optional<FileDraft> lay_out_planes(const Program &mercury, OutputPlan plan,
                                        const SassInputs &inputs, SassPlan sass, WorkerPool &pool,
                                        Diagnostics &diag) {
  FileInProgress file = begin_file(mercury, plan, elf::SegmentRule::Mercury, pool);
  const PlaneLayout l{mercury, plan, inputs, sass, file};
  add_sass_headers(l);
  rename_banks(mercury, plan, inputs, file);
  const u32 first_added = file.elf.section_count();
  file.elf.name_separately_from_here();
  AddedSections added;
  add_parameter_banks(l, added);
  add_driver_functions(l, added);
  add_counterparts(l, added);
  fill_mercury_plane(l, added, pool, diag);
  std::vector<FilePatch> patches = fill_memory(l, added, first_added);

  std::vector<elf::SectionId> by_section(file.elf.section_count());
  for (const OutId id : sass.shape.order)
    by_section[file.section_of[id.value].value] = added.counterpart_of[id.value];
  const u32 symbols = fill_mercury_symbols(added.symtab, by_section,
                                           plan.layout.placement.null_symbol_value, file.elf);
  fill_sass_plane(l, added);
  convert_symbols(mercury, plan, inputs, sass, file);
  if (added.symbols_behind != 0)
    file.elf.edit_section(file.elf.symtab()).info = symbols + added.symbols_behind;

  plan.relocations.folded = join_values(std::move(plan.relocations.folded), sass);
  file.section_of.insert(file.section_of.end(), added.counterpart_of.begin(),
                         added.counterpart_of.end());
  std::optional<FileDraft> draft =
      finish_file(mercury, std::move(plan), std::move(file), pool, diag);
  if (draft) {
    draft->patches = std::move(patches);
    draft->finalized = std::move(sass.finalized);
    draft->contents = take_contents(std::move(sass));
  }
  return draft;
}

} // namespace culink
