// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From the plan to a file, through the ELF builder: sections and symbols in order of creation, then
// contents, then the offset of everything. What has gone into the file is set free, because a large
// link needs most memory here.
#include "link/output/draft.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/bytes.h"
#include "base/release_memory.h"
#include "elf/codec.h"
#include "elf/elf_builder.h"
#include "link/mercury/machine_half.h"
#include "link/output/draft_records.h"
#include "link/output/output_symbols.h"

namespace culink {

using elf::Fixup;
using elf::SectionType;
using Against = KeptRelocation::Against;

namespace {

class Drafter {
public:
  Drafter(const Program &program, OutputPlan plan, const MachineHalves *machine, WorkerPool &pool,
          Diagnostics &diag)
      : p_(program), plan_(std::move(plan)), layout_(plan_.layout), machine_(machine), pool_(pool),
        diag_(diag),
        elf_({.type = program.policy.executable ? elf::FileType::Executable
                                                : elf::FileType::Relocatable,
              .flags = u32{program.arch.number} << 8 | static_cast<u32>(program.arch.code_kind),
              .segments = machine ? elf::SegmentRule::Mercury : elf::SegmentRule::Classic,
              .phentsize_without_segments = static_cast<u16>(machine ? 0 : 56),
              .borrow_names = true,
              .numbered_names = &layout_.sections.names,
              .lose_section_fff2 = program.dialect.has(Defect::LostSectionFff2)}) {}

  std::optional<FileDraft> run();

private:
  void choose_sections();
  [[nodiscard]] bool is_part_of_file(OutId id) const;
  void add_sections(RecordWriter &records);
  void add_section(OutId id);
  void fill_section(OutId id, RecordWriter &records);
  void fill_special_sections(RecordWriter &records);
  void fill_calls(OutId id, const std::vector<CallRecord> &records);
  void fill_unified();
  void fill_relocations();
  [[nodiscard]] SectionType written_type(SectionType type) const;

  [[nodiscard]] std::vector<elf::SectionId> find_uncounted() const;
  [[nodiscard]] elf::SectionId section(OutId id) const { return section_of_[id.value]; }
  [[nodiscard]] elf::SymbolId symbol(EntityId id) const { return symbols_.of_entity[id.value]; }

  const Program &p_;
  OutputPlan plan_;
  const Layout &layout_;         // of plan_
  const MachineHalves *machine_; // of links of Mercury code
  WorkerPool &pool_;
  Diagnostics &diag_;
  elf::ElfBuilder elf_;
  std::vector<bool> is_emitted_;           // by OutId
  std::vector<elf::SectionId> section_of_; // by OutId
  OutputSymbols symbols_;
  elf::SectionId rel_action_;
};

std::optional<FileDraft> Drafter::run() {
  if (!machine_) { // relocations were the last to ask where sections of objects went
    plan_.layout.placement.location_of = std::vector<std::vector<SectionLocation>>();
    plan_.layout.relocs.slices = std::vector<RelocationSlice>();
  }
  elf_.reserve({.sections = layout_.sections.list.size() + 8,
                .symbols = layout_.sections.locals.size() + layout_.sections.globals.size() + 8,
                .fixups = plan_.info.module.word_count + 2 * plan_.synthetic.callgraph.size(),
                .relocations = plan_.relocations.kept.size()});
  for (const std::string_view text : p_.calls.prototypes)
    elf_.add_string(text, text.empty()); // the empty prototype is a string of its own
  choose_sections();
  symbols_ =
      add_output_symbols(p_, layout_, plan_.shared, section_of_, rel_action_, is_emitted_, elf_);
  RecordWriter records(elf_, symbols_);
  add_sections(records);
  fill_special_sections(records);
  fill_unified();
  fill_relocations();
  MachineAdditions additions;
  if (machine_)
    additions = add_machine_half({p_, *machine_, elf_, plan_, section_of_, symbols_, is_emitted_},
                                 pool_, diag_);
  std::vector<u8> info_bytes = plan_.info.store.take_bytes();
  plan_.info = {};
  plan_.relocations.kept = std::vector<KeptRelocation>();
  elf_.set_flags_section(section(layout_.sections.cuinfo));
  elf_.number_sections_as_added(find_uncounted());
  plan_.layout.sections.list = std::vector<OutSection>();
  symbols_ = {};
  release_free_memory(); // the layout needs little, but looks at names all over the inputs
  Result<elf::ElfLayout> layout = elf_.lay_out();
  if (!layout) {
    diag_.report(DiagId::Contradiction, {"output", layout.error().text()});
    return {};
  }
  return FileDraft{std::move(elf_),
                   std::move(*layout),
                   std::move(plan_.relocations.folded),
                   std::move(section_of_),
                   layout_.placement.null_symbol_value,
                   std::move(additions.patches),
                   std::move(additions.finalized),
                   std::move(info_bytes),
                   std::move(plan_.layout.sections.name_storage)};
}

// nvlink counts a section that does not exist after each of these (Q059): executables have an empty
// one after the first notes; some sections are created twice.
std::vector<elf::SectionId> Drafter::find_uncounted() const {
  std::vector<elf::SectionId> out;
  if (p_.policy.executable)
    out.push_back(section(layout_.sections.cuinfo));
  for (const OutId id : layout_.sections.created_again)
    out.push_back(section(id));
  return out;
}

// Which sections are part of the file, and the ids that they will have: symbols name them, and they
// name symbols.
void Drafter::choose_sections() {
  is_emitted_.assign(layout_.sections.list.size(), false);
  for (const KeptRelocation &kept : plan_.relocations.kept)
    is_emitted_[kept.table.value] = true;
  for (const SlotTable &slots : plan_.images.tables)
    is_emitted_[slots.table.value] = true;
  u32 next = elf_.section_count();
  section_of_.reserve(layout_.sections.list.size());
  for (u32 i = 0; i < layout_.sections.list.size(); ++i) {
    is_emitted_[i] = is_part_of_file(OutId(i));
    section_of_.push_back(layout_.sections.list[i].discarded() ? elf::SectionId{}
                                                               : elf::SectionId(next++));
  }
  if (!plan_.synthetic.rel_action.empty())
    rel_action_ = elf::SectionId(next);
}

// A relocation table is emitted if it has entries; other sections as Emit says.
bool Drafter::is_part_of_file(OutId id) const {
  const OutSection &s = layout_.sections[id];
  if (s.emit == Emit::NameOnly || s.discarded())
    return false;
  if (id == layout_.sections.info)
    return !plan_.info.module.empty();
  if (id == layout_.sections.prototype)
    return !plan_.synthetic.prototypes.empty();
  return elf::is_relocation_table(s.type) ? is_emitted_[id.value]
                                          : s.emit == Emit::Always || s.size != 0;
}

// Objects have a type for each memory space, and so has Mercury code.
SectionType Drafter::written_type(SectionType type) const {
  const bool keeps = !p_.policy.executable || p_.arch.code_kind == arch::CodeKind::Capmerc;
  return keeps ? type : type_in_executable(type);
}

void Drafter::add_section(OutId id) {
  const OutSection &s = layout_.sections[id];
  const bool emitted = is_emitted_[id.value];
  elf::SectionSpec spec{.name = s.name,
                        .type = written_type(s.type),
                        .flags = s.flags,
                        .align = s.align,
                        .entsize = s.entsize,
                        .emitted = emitted,
                        .name_number = s.name_number};
  if (emitted && s.links_symtab)
    spec.link = elf_.symtab();
  if (s.function.valid())
    spec.info = elf::InfoField(symbol(s.function), s.info_top);
  else if (emitted && s.target.valid())
    spec.info = section(s.target);
  // Unknown sections are among debug information.
  if (s.type == SectionType::Progbits && (s.flags & elf::kFlagAlloc) == 0)
    spec.bucket = elf::Bucket::Debug;
  elf_.add_section(spec); // as section_of_ says
}

void Drafter::fill_section(OutId id, RecordWriter &records) {
  const OutSection &s = layout_.sections[id];
  const elf::SectionId out = section(id);
  if (s.target.valid() && layout_.sections.info_of[s.target.value] == id)
    records.fill(out, plan_.info.store, plan_.info.of_text[s.target.value]);
  for (u32 piece = 0; piece < s.pieces.size(); ++piece) {
    elf_.append_zeros(out, s.pieces[piece].offset - elf_.size(out));
    elf_.append(out, s.pieces[piece].bytes);
  }
  if (s.size > elf_.size(out))
    elf_.append_zeros(out, s.size - elf_.size(out));
}

void Drafter::add_sections(RecordWriter &records) {
  for (u32 i = 0; i < layout_.sections.list.size(); ++i)
    if (!layout_.sections.list[i].discarded()) {
      add_section(OutId(i));
      fill_section(OutId(i), records);
    }
  if (rel_action_.valid()) {
    elf_.add_section(
        {.name = kRelAction, .type = SectionType::CudaRelocInfo, .align = 8, .entsize = 8});
    elf_.append_copy(rel_action_, plan_.synthetic.rel_action);
  }
  elf::SectionSpec &cuinfo = elf_.section(section(layout_.sections.cuinfo));
  cuinfo.link = section(layout_.sections.tkinfo);
  if (layout_.sections.compat.valid()) {
    cuinfo.flags |= elf::kFlagInfoLink;
    cuinfo.info = section(layout_.sections.compat);
  }
}

// Those that are not put together from parts of the inputs.
void Drafter::fill_special_sections(RecordWriter &records) {
  elf_.append_copy(section(layout_.sections.tkinfo), plan_.synthetic.tkinfo);
  elf_.append_copy(section(layout_.sections.cuinfo), plan_.synthetic.cuinfo);
  if (layout_.sections.compat.valid())
    elf_.append_copy(section(layout_.sections.compat), plan_.synthetic.compat);
  fill_calls(layout_.sections.callgraph, plan_.synthetic.callgraph);
  fill_calls(layout_.sections.prototype, plan_.synthetic.prototypes);
  if (layout_.sections.info.valid())
    records.fill(section(layout_.sections.info), plan_.info.store, plan_.info.module);
}

void Drafter::fill_unified() {
  for (const UnifiedIdentity &identity : layout_.sections.unified) {
    const elf::SectionId id = section(identity.section);
    elf::UnifiedEntry entry = identity.entry;
    entry.symbol = 0;
    if (identity.named.valid())
      elf_.add_fixup(id, {elf_.size(id), Fixup::Kind::SymbolNumber, symbol(identity.named).value});
    elf_.append_copy(id, elf::encode_unified_entries({.entries = {entry}}));
  }
}

void Drafter::fill_calls(OutId id, const std::vector<CallRecord> &records) {
  const elf::SectionId out = section(id);
  std::vector<u8> bytes(records.size() * 8);
  for (u64 i = 0; i < records.size(); ++i) {
    const CallRecord &record = records[i];
    const u64 offset = i * 8;
    if (record.first.valid())
      elf_.add_fixup(out, {offset, Fixup::Kind::SymbolNumber,
                           symbol(p_.calls.functions[record.first.value]).value});
    switch (record.kind) {
    case CallRecord::Second::Marker:
      store_le(bytes.data() + offset + 4, record.second);
      break;
    case CallRecord::Second::Function:
      elf_.add_fixup(out, {offset + 4, Fixup::Kind::SymbolNumber,
                           symbol(p_.calls.functions[record.second]).value});
      break;
    case CallRecord::Second::Prototype:
      elf_.add_fixup(out, {offset + 4, Fixup::Kind::StringOffset, record.second});
      break;
    }
  }
  elf_.append_copy(out, bytes);
}

void Drafter::fill_relocations() {
  for (const KeptRelocation &kept : plan_.relocations.kept) {
    elf::SymbolId against;
    switch (kept.against) {
    case Against::Nothing:
      break;
    case Against::Entity:
      against = symbol(EntityId(kept.id));
      break;
    case Against::Section:
      against = symbols_.of_section[kept.id];
      break;
    case Against::Instance:
      against = symbols_.of_instance[kept.id];
      break;
    }
    if (kept.against == Against::Entity && !against.valid()) {
      const Entity &entity = p_.symbols[EntityId(kept.id)];
      diag_.report(DiagId::DeletedSymbol, {std::string(entity.name)})
          .at("mentioned in", p_.objects[entity.first.object.value].origin());
      continue;
    }
    // A list of resolved relocations may name what nothing is left of.
    if (kept.against == Against::Section && (!against.valid() || !elf_.symbol(against).emitted)) {
      diag_.report(
          DiagId::DeletedSymbol, {std::string(layout_.sections.list[kept.id].name)},
          {fmt::format("listed in {} at {:#x}", layout_.sections[kept.table].name, kept.offset)});
      continue;
    }
    elf_.add_relocation(section(kept.table), {kept.offset, kept.type, against, kept.addend});
  }
  for (const SlotTable &table : plan_.images.tables)
    for (const SlotRelocation &entry : table.entries)
      elf_.add_relocation(section(table.table), {entry.offset, entry.type, symbol(entry.image), 0});
}

} // namespace

SectionType type_in_executable(SectionType type) {
  const u32 number = static_cast<u32>(type);
  if (number >= static_cast<u32>(SectionType::CudaConstantB0) &&
      number <= static_cast<u32>(SectionType::MercuryConstantTools))
    return SectionType::Progbits;
  switch (type) {
  case SectionType::CudaGlobalInit:
    return SectionType::Progbits;
  case SectionType::CudaGlobal:
  case SectionType::CudaShared:
  case SectionType::CudaReservedShared:
  case SectionType::CudaLocal:
    return SectionType::Nobits;
  default:
    return type;
  }
}

std::optional<FileDraft> draft_file(const Program &program, OutputPlan plan,
                                    const MachineHalves *machine, WorkerPool &pool,
                                    Diagnostics &diag) {
  return Drafter(program, std::move(plan), machine, pool, diag).run();
}

} // namespace culink
