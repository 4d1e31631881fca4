// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The action for every relocation of the inputs. A device link keeps many of them: addresses of
// functions and global variables are known only to the loader. So each one is folded (its value is
// stored), kept or dropped, and this is decided before the layout of the file, because what is kept
// has a size. All values are known here; nothing depends on where a section lies in the file.
//
// The pass walks the tables of each output section: it resolves the target of a relocation
// (reloc_target.cc), looks up the action (reloc_action.cc) and lists what is to be written, which
// draft_file and write_image do. Relocations against one symbol often follow each other, for the
// halves of an address, so a target is resolved once for a run of them.
//
// What may surprise is the order: newest first, last file first, each file's table from its end.
// Values are stored in that order too, so where two relocations have one offset, the first one read
// wins.
#include "link/relocs/classify_relocs.h"

#include <algorithm>

#include <fmt/format.h>

#include "link/emulate/emulated_errors.h"
#include "link/emulate/images.h"
#include "link/relocs/image_index.h"
#include "link/relocs/reloc_source.h"
#include "link/relocs/resolved_list.h"

namespace culink {

using arch::RelocInfo;
using Against = KeptRelocation::Against;

namespace {

// One relocation on the less usual paths.
struct Entry {
  const RelocSource &source;
  elf::Relocation raw;
  u64 offset; // in the output section
  const RelocInfo *row;
  const RelocTarget &target;
};

// The view has checked that the field starts inside its section.
bool is_inside(const RelocSource &source, const elf::Relocation &raw, const RelocInfo &row) {
  const u64 size = source.section->size;
  return raw.offset <= size && row.field_bytes <= size - raw.offset;
}

// A loop over relocations in output order, which fills the lists of a plan.
class RelocationReader {
public:
  RelocationReader(const RelocationContext &context, Diagnostics &diag)
      : c_(context), executable_(context.program.policy.executable),
        checks_ranges_(!emulate::truncates_values(context.program)), diag_(diag) {}

  void read_groups(u32 begin, u32 end);
  void read_copied_constants();
  RelocationPlan take() { return std::move(plan_); }

private:
  void read_group(const RelocationGroup &group);
  void read_table(const RelocSource &source);
  void read(const RelocSource &source, const elf::Relocation &raw, const RelocTarget &target);
  [[gnu::noinline]] void read_other(RelocAction action, const Entry &entry);
  void keep(const Entry &entry);
  [[gnu::noinline]] void keep_with_field(const Entry &entry, KeptRelocation out);
  void keep_image(const Entry &entry);
  void store(const Entry &entry, arch::FieldValue value);
  void fold(const Entry &entry);
  void fold_addend(const Entry &entry);
  void fold_image(const Entry &entry);
  void refuse(const Entry &entry);
  void report_outside(const Entry &entry);
  void report_range(const Entry &entry, u64 value);
  [[nodiscard]] u64 addend_shift(const Entry &entry) const;
  [[gnu::noinline]] [[nodiscard]] u64 moved_addend_shift(const Entry &entry) const;

  const RelocationContext &c_;
  const bool executable_;
  const bool checks_ranges_;
  const arch::RelocRows rows_;
  Diagnostics &diag_;
  RelocationPlan plan_;
};

void RelocationReader::read_groups(u32 begin, u32 end) {
  constexpr u64 kSmallestEntry = 16;
  const RelocationInputs &inputs = c_.layout.relocs;
  u64 bytes = 0;
  for (u32 i = begin; i < end; ++i)
    for (u32 s = inputs.groups[i].newest; s != RelocationSlice::kNoSlice;
         s = inputs.slices[s].previous)
      bytes +=
          c_.program.objects[inputs.slices[s].object.value].section(inputs.slices[s].section).size;
  plan_.kept.reserve(bytes / kSmallestEntry); // what is not used is not touched either
  for (u32 i = begin; i < end; ++i)
    if (!c_.layout.sections[inputs.groups[i].target].discarded())
      read_group(inputs.groups[i]);
}

void RelocationReader::read_group(const RelocationGroup &group) {
  for (u32 i = group.newest; i != RelocationSlice::kNoSlice;
       i = c_.layout.relocs.slices[i].previous) {
    const RelocationSlice &slice = c_.layout.relocs.slices[i];
    if (!is_of_overridden_code(c_, group, slice) && !is_of_overridden_bank(c_, group, slice))
      read_table(source_of(c_, group, slice));
  }
}

void RelocationReader::read_table(const RelocSource &source) {
  const elf::RelocationTable entries =
      c_.program.objects[source.object.value].view.relocations(*source.table);
  u32 symbol = kNoIndex; // that of the last entry
  bool drops = false;
  RelocTarget target;
  for (u32 i = entries.size(); i-- > 0;) {
    const elf::Relocation raw = entries[i];
    if (raw.symbol != symbol) {
      symbol = raw.symbol;
      drops = drops_symbol(c_, source, symbol);
      if (!drops)
        target = resolve_target(c_, source.object, symbol, source.function);
    }
    if (!drops && !drops_offset(c_, source, raw.offset))
      read(source, raw, target);
  }
}

// Constant by constant from the last one; of each, the last object's first, each from its end.
void RelocationReader::read_copied_constants() {
  for (const CopiedRelocations &copied : c_.layout.relocs.copied) {
    const FunctionConstants &constants = c_.layout.placement.function_constants[copied.constants];
    const RelocationGroup group{copied.table, copied.bank, true};
    u64 end = constants.size;
    for (size_t i = constants.parts.size(); i-- > 0; end = constants.parts[i])
      for (auto from = constants.relocations.rbegin(); from != constants.relocations.rend(); ++from)
        read_table(source_of(c_, group, constants, *from, constants.parts[i], end));
  }
}

// Nearly all relocations of large programs are addresses that the loader knows, which are kept, or
// values that are known here, which are folded.
inline void RelocationReader::read(const RelocSource &source, const elf::Relocation &raw,
                                   const RelocTarget &target) {
  const RelocInfo *row = rows_.find(raw.type);
  const u64 offset = output_offset(c_, source, raw);
  const RelocAction action = c_.rules.action(target.kind, raw.type, row);
  if (action == RelocAction::Keep && offset < source.output_size)
    keep({source, raw, offset, row, target});
  else if (action == RelocAction::Fold && is_inside(source, raw, *row))
    fold({source, raw, offset, row, target});
  else
    read_other(action, {source, raw, offset, row, target});
}

void RelocationReader::read_other(RelocAction action, const Entry &entry) {
  const RelocationGroup &group = *entry.source.group;
  const bool acts = action != RelocAction::Drop && action != RelocAction::Refuse;
  const bool inside = stores(action) ? is_inside(entry.source, entry.raw, *entry.row)
                                     : entry.offset < entry.source.output_size;
  if (acts && !inside)
    return report_outside(entry);
  switch (action) {
  case RelocAction::Drop:
  case RelocAction::Keep: // read() has done that
  case RelocAction::Fold:
    return;
  case RelocAction::KeepAsNone:
    plan_.kept.push_back(
        {.table = group.table, .offset = entry.offset, .addend = entry.raw.addend});
    return;
  case RelocAction::KeepImage:
    return keep_image(entry);
  case RelocAction::FoldAddend:
    return fold_addend(entry);
  case RelocAction::FoldImage:
    return fold_image(entry);
  case RelocAction::Clear:
    plan_.folded.push_back({.section = group.target, .offset = entry.offset, .row = entry.row});
    return;
  case RelocAction::Refuse:
    return refuse(entry);
  }
}

// The growth of the addend of a relocation against a section symbol: the part of the section that
// it refers to has been moved.
inline u64 RelocationReader::addend_shift(const Entry &entry) const {
  return entry.source.moves && entry.target.against == Against::Section ? moved_addend_shift(entry)
                                                                        : entry.target.addend_shift;
}

// What stands in the field of a relocation that has no other addend.
u64 addend_in_field(const Entry &entry) {
  if (!entry.source.field_addends || entry.source.loses_addends || !entry.row)
    return 0;
  const auto field =
      arch::implicit_addend(entry.source.section->data, entry.raw.offset, *entry.row);
  return field ? field->value : 0;
}

u64 RelocationReader::moved_addend_shift(const Entry &entry) const {
  const ObjectId object = entry.source.object;
  const u32 section = c_.program.objects[object.value].symbols[entry.raw.symbol].section;
  const u64 addend = static_cast<u64>(entry.raw.addend) + addend_in_field(entry);
  return moved_offset(c_, object, section, addend, entry.target.addend_shift) - addend;
}

inline void RelocationReader::keep(const Entry &entry) {
  const RelocationGroup &group = *entry.source.group;
  const KeptRelocation out{.table = group.table,
                           .id = entry.target.id,
                           .offset = entry.offset,
                           .addend = entry.raw.addend + static_cast<i64>(addend_shift(entry)),
                           .type = executable_ ? entry.row->number_in_executable() : entry.raw.type,
                           .against = entry.target.against};
  if (entry.source.field_addends && (group.has_addends || out.against == Against::Section))
    keep_with_field(entry, out);
  else
    plan_.kept.push_back(out);
}

// An SHT_REL entry that may need an addend, because parts of the section that it refers to have
// moved or the output has one table for all. What stands in the field is then no longer all of the
// addend. A lossless -r gives one to every entry against a section, because the next link moves
// parts, too.
void RelocationReader::keep_with_field(const Entry &entry, KeptRelocation out) {
  const RelocationGroup &group = *entry.source.group;
  const bool moved = entry.target.addend_shift != 0;
  if (moved || group.has_addends || c_.program.policy.keeps_all_relocations)
    out.addend += static_cast<i64>(addend_in_field(entry));
  const OutId rela = group.has_addends ? group.table : c_.rela_of[group.target.value];
  if (rela.valid() && (moved || out.addend != 0))
    out.table = rela;
  plan_.kept.push_back(out);
}

// Kept for the next link. The SASS shows where slots would begin.
void RelocationReader::keep_image(const Entry &entry) {
  plan_.kept.push_back({.table = entry.source.group->table,
                        .id = entry.target.id,
                        .offset = entry.offset,
                        .addend = entry.raw.addend,
                        .type = entry.raw.type,
                        .against = entry.target.against});
  plan_.folded.push_back({.section = entry.source.group->target,
                          .image_slot = true,
                          .offset = entry.offset,
                          .row = entry.row,
                          .value = {c_.constants.slot_base, 0}});
}

// The addend is part of `value`, unless it is in the field.
inline FoldedRelocation folded(const Entry &entry, arch::FieldValue value) {
  const bool lost = entry.source.loses_addends && entry.target.addend_shift != 0;
  return {.section = entry.source.group->target,
          .implicit_addend = entry.source.field_addends && !lost,
          .offset = entry.offset,
          .row = entry.row,
          .value = value};
}

// Adds a value that is stored, if its field can hold it.
inline void RelocationReader::store(const Entry &entry, arch::FieldValue value) {
  plan_.folded.push_back(folded(entry, value));
  if (!checks_ranges_)
    return;
  const u64 addend = plan_.folded.back().implicit_addend ? addend_in_field(entry) : 0;
  // An addend in the field may be meant as a negative one.
  if (!entry.row->can_store(value.value + addend) &&
      (addend == 0 || !entry.row->can_store(value.value + addend - entry.row->range_end())))
    report_range(entry, value.value + addend);
}

inline void RelocationReader::fold(const Entry &entry) {
  const u64 addend = static_cast<u64>(entry.raw.addend) + addend_shift(entry);
  store(entry, {entry.target.value + addend, entry.target.bank});
}

void RelocationReader::fold_addend(const Entry &entry) {
  u64 start = entry.target.addend_shift;
  if (is_shared_variable(c_.program, entry.target))
    start = entry.target.dynamic_shared ? kDynamicAlign
                                        : c_.layout.placement.address_of[entry.target.id].value;
  store(entry, {start + static_cast<u64>(entry.raw.addend), 0});
}

void RelocationReader::fold_image(const Entry &entry) {
  const bool slot =
      entry.row->image == arch::ImageAction::Slot && entry.target.value != ImagePlan::kNoSlot;
  const u64 value = (slot ? entry.target.value : 0) + static_cast<u64>(entry.raw.addend);
  // Without a slot nvlink -r writes the bank of what is in no bank.
  store(entry, {value, slot ? u8{0} : entry.target.bank});
  plan_.folded.back().image_slot = slot;
}

std::string name_of(const Entry &entry) {
  return entry.row ? std::string(entry.row->name) : std::to_string(entry.raw.type);
}

std::string location_of(const RelocationContext &c, const Entry &entry) {
  return fmt::format("{}+{:#x}", c.layout.sections[entry.source.group->target].name, entry.offset);
}

void RelocationReader::refuse(const Entry &entry) {
  const InputObject &object = c_.program.objects[entry.source.object.value];
  diag_.report(DiagId::UnsupportedRelocation, {object.name, name_of(entry), location_of(c_, entry),
                                               std::string(object.symbols[entry.raw.symbol].name)});
}

void RelocationReader::report_outside(const Entry &entry) {
  diag_.report(
      DiagId::RelocationOutsideSection,
      {c_.program.objects[entry.source.object.value].name, name_of(entry), location_of(c_, entry)},
      {fmt::format("r_offset of an entry of {}", elf::describe_section(*entry.source.table))});
}

// "-0x8", "0x10".
std::string signed_hexadecimal(u64 value) {
  const bool negative = static_cast<i64>(value) < 0;
  return fmt::format("{}{:#x}", negative ? "-" : "", negative ? 0 - value : value);
}

void RelocationReader::report_range(const Entry &entry, u64 value) {
  const InputObject &object = c_.program.objects[entry.source.object.value];
  const u64 end = entry.row->range_end(), step = u64{1} << entry.row->step_bits;
  std::string range = fmt::format("{} to {:#x}", signed_hexadecimal(0 - end / 2), end - step);
  if (step != 1)
    range += fmt::format(" in steps of {}", step);
  diag_.report(DiagId::RelocationOutOfRange,
               {object.name, name_of(entry), location_of(c_, entry),
                std::string(object.symbols[entry.raw.symbol].name), signed_hexadecimal(value),
                std::move(range)},
               {fmt::format("addend {}", signed_hexadecimal(static_cast<u64>(entry.raw.addend)))});
}

std::vector<OutId> rela_tables(const Layout &layout) {
  std::vector<OutId> out(layout.sections.list.size());
  for (const RelocationGroup &group : layout.relocs.groups)
    if (group.has_addends)
      out[group.target.value] = group.table;
  return out;
}

bool is_by_section(const FoldedRelocation &a, const FoldedRelocation &b) {
  return a.section < b.section;
}

// The result of one thread for some groups.
struct Part {
  RelocationPlan plan;
  Diagnostics diag;
  bool sorted = true; // what is folded
};

bool is_sorted(const std::vector<Part> &parts) {
  const FoldedRelocation *last = nullptr;
  for (const Part &part : parts) {
    const FoldedRelocations &folded = part.plan.folded;
    if (folded.empty())
      continue;
    if (!part.sorted || (last && is_by_section(folded.front(), *last)))
      return false;
    last = &folded.back();
  }
  return true;
}

// A single part is taken as it is. Several are copied by several threads, and are set free one by
// one.
template <typename List>
List join(std::vector<Part> &parts, List RelocationPlan::*list, WorkerPool &pool) {
  std::vector<size_t> starts;
  size_t size = 0;
  for (const Part &part : parts) {
    starts.push_back(size);
    size += (part.plan.*list).size();
  }
  for (Part &part : parts)
    if ((part.plan.*list).size() == size)
      return std::move(part.plan.*list);
  List out(size);
  pool.for_each(static_cast<u32>(parts.size()), [&](u32 i) {
    const List more = std::move(parts[i].plan.*list);
    std::copy(more.begin(), more.end(), out.begin() + static_cast<std::ptrdiff_t>(starts[i]));
  });
  return out;
}

} // namespace

// Groups are independent of each other. Each thread takes some and has its own lists, which are
// joined in the order of the groups.
RelocationPlan classify_relocations(const Program &program, const Layout &layout,
                                    const SharedPlan &shared, const ImagePlan &images,
                                    WorkerPool &pool, Diagnostics &diag) {
  const RelocationContext context{
      program, layout, shared, images, RelocRules(rule_inputs_of(program)), rela_tables(layout)};
  const u32 groups = static_cast<u32>(layout.relocs.groups.size());
  const u32 grain = pool.threads() == 1 ? std::max(groups, 1u) : 256;
  std::vector<Part> parts(groups / grain + 1);
  pool.for_ranges(groups, grain, [&](u32 begin, u32 end) {
    Part &part = parts[begin / grain];
    RelocationReader reader(context, part.diag);
    reader.read_groups(begin, end);
    part.plan = reader.take();
    part.sorted = std::ranges::is_sorted(part.plan.folded, is_by_section);
  });
  if (!layout.relocs.copied.empty()) {
    Part &part = parts.emplace_back();
    RelocationReader reader(context, part.diag);
    reader.read_copied_constants();
    part.plan = reader.take();
    part.sorted = std::ranges::is_sorted(part.plan.folded, is_by_section);
  }
  if (program.policy.lists_resolved) {
    Part &part = parts.emplace_back();
    part.plan.kept = list_resolved(context, part.diag);
  }
  const bool sorted = is_sorted(parts);
  RelocationPlan out{join(parts, &RelocationPlan::kept, pool),
                     join(parts, &RelocationPlan::folded, pool)};
  for (Part &part : parts)
    diag.append(std::move(part.diag));
  if (!sorted)
    std::stable_sort(out.folded.begin(), out.folded.end(), is_by_section);
  if (images.tables.empty() || !emulate::updates_image_base(program))
    return out;
  const CodeOf code_of = [&](OutId text) {
    const PieceList &pieces = layout.sections[text].pieces;
    return pieces.size() == 0 ? ByteSpan{} : pieces[0].bytes;
  };
  return index_images(layout, images, code_of, std::move(out));
}

} // namespace culink
