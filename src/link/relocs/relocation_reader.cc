// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The action for every relocation of some tables. The target of a relocation is resolved
// (reloc_target.h), the action is looked up (reloc_action.cc), and what is to be written is
// listed. Relocations against one symbol often follow each other, for the halves of an address, so
// a target is resolved once for a run of them. classify_relocations joins the lists.
//
// What may surprise is the order: newest first, last file first, each file's table from its end.
// Values are stored in that order too, so where two relocations have one offset, the first one read
// wins.
#include "link/relocs/relocation_reader.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "link/nvlink/lost_pointers.h"

namespace culink {

// Selects the relocations of the inputs that apply, and computes their offsets in the output. A
// relocation is in a section of an object; that section, or the variable or line table in it, may
// have been discarded or moved since. This is checked once per table where possible, so that the
// loop over its entries has few checks left.
//
// classify_relocations and the lists of --preserve-relocs use it. What may surprise: call frames
// and lines of a definition that did not prevail stay in the output, but without their address.

namespace {

// Debug information about a definition of a function that is not in the output.
bool is_about_discarded_code(const RelocationContext &c, const RelocSource &source, u32 index) {
  const Program &p = c.program;
  const elf::Symbol &symbol = p.objects[source.object.value].symbols[index];
  if (symbol.type() != elf::SymbolType::Function || !symbol.in_section())
    return false;
  const EntityId id = p.symbols.of(source.object, index);
  if (!id.valid())
    return false;
  if (p.symbols.outcome(source.object, index) != DefinitionOutcome::Accepted)
    return !p.policy.keeps_discarded_frames;
  if (p.policy.keeps_discarded_frames || p.symbols[id].prevailing.object == source.object)
    return false;
  if (!p.policy.keeps_overridden_frames)
    return p.is_live(id);
  const OutId rela = c.rela_of[source.group->target.value];
  const bool with_addends =
      source.group->has_addends || (rela.valid() && rela < source.group->table);
  return with_addends && c.layout.relocs.has_overridden[id.value];
}

// True if a symbol is a function of the driver that machine code alone calls. Relocations against
// it are not those of the Mercury plane (link/mercury/driver_calls.h).
bool is_of_sass_alone(const RelocationContext &c, const RelocSource &source, u32 symbol) {
  const elf::Symbol &named = c.program.objects[source.object.value].symbols[symbol];
  return named.type() == elf::SymbolType::Function &&
         !c.program.symbols.of(source.object, symbol).valid();
}

// The output table has room for addends where one of its entries needs it.
void set_addends(const RelocationContext &c, RelocSource &source) {
  source.loses_addends = c.program.policy.loses_field_addends;
  source.field_addends = source.loses_addends ? !source.group->has_addends
                                              : source.table->type == elf::SectionType::Rel;
}

const RelocationGroup &group_of(const RelocationContext &c, const RelocationSlice &slice) {
  return c.layout.relocs.groups[slice.group];
}

bool moves_parts(const RelocationContext &c, ObjectId object) {
  return !c.layout.relocs.moved.empty() && !c.layout.relocs.moved[object.value].empty();
}

} // namespace

RelocSource source_of(const RelocationContext &c, const RelocationSlice &slice) {
  const RelocationGroup &group = group_of(c, slice);
  const InputObject &object = c.program.objects[slice.object.value];
  const elf::Section &table = object.section(slice.section);
  const elf::SectionKind &kind = object.kinds[table.info];
  const OutSection &target = c.layout.sections[group.target];
  RelocSource source{.group = &group,
                     .table = &table,
                     .section = &object.section(table.info),
                     .object = slice.object,
                     .base = c.layout.placement.location_of[slice.object.value][table.info].offset,
                     .output_size = target.size,
                     .moves = moves_parts(c, slice.object),
                     .discarded = c.layout.relocs.discarded[slice.object.value].touch(table.info)};
  if (const EntityId function = c.layout.sections.function(group.target); function.valid())
    source.function = c.program.function_of(function);
  const std::string_view name = c.layout.sections.name(target);
  source.about_code = kind.is_debug() && name != ".debug_info" && name != ".debug_loc";
  set_addends(c, source);
  source.loses_pointers = kind.is_constant() && c.program.policy.forgets_pointers;
  return source;
}

RelocSource source_of(const RelocationContext &c, const RelocationGroup &group,
                      const FunctionConstants &constants, const ConstantRelocations &from,
                      u64 begin, u64 end) {
  const InputObject &object = c.program.objects[from.object.value];
  const elf::Section &table = object.section(from.section);
  RelocSource source{.group = &group,
                     .table = &table,
                     .section = &object.section(table.info),
                     .object = from.object,
                     .base = constants.offset + from.base,
                     .begin = std::max(begin, from.base) - from.base,
                     .end = std::max(end, from.base) - from.base,
                     .output_size = c.layout.sections[group.target].size,
                     .moves = moves_parts(c, from.object)};
  set_addends(c, source);
  return source;
}

bool is_of_overridden_code(const RelocationContext &c, const RelocationSlice &slice) {
  const EntityId function = c.layout.sections.function(group_of(c, slice).target);
  return function.valid() && c.program.symbols[function].prevailing.object != slice.object;
}

bool is_of_overridden_bank(const RelocationContext &c, const RelocationSlice &slice) {
  const OutId text =
      c.layout.sections[group_of(c, slice).target].target(); // of constants, not of code
  if (!text.valid() || c.program.policy.keeps_overridden_tables)
    return false;
  const EntityId function = c.layout.sections.function(text);
  const u32 bank = c.program.objects[slice.object.value].section(slice.section).info;
  return function.valid() && c.program.symbols[function].prevailing.object != slice.object &&
         !c.layout.placement.location_of[slice.object.value][bank].discarded;
}

bool drops_offset(const RelocationContext &c, const RelocSource &source, u64 offset) {
  return offset < source.begin || offset >= source.end ||
         (source.discarded &&
          c.layout.relocs.discarded[source.object.value].contain(source.table->info, offset));
}

bool drops_symbol(const RelocationContext &c, const RelocSource &source, u32 symbol) {
  return (source.loses_pointers &&
          nvlink::drops_pointer(c.program, source.object, source.table->info, symbol)) ||
         (source.about_code && is_about_discarded_code(c, source, symbol)) ||
         (c.program.sass_plane && is_of_sass_alone(c, source, symbol));
}

u64 moved_offset(const RelocationContext &c, ObjectId object, u32 section, u64 offset, u64 base) {
  if (c.layout.relocs.moved.empty())
    return offset + base;
  const std::vector<MovedRange> &ranges = c.layout.relocs.moved[object.value];
  const auto next = std::upper_bound(
      ranges.begin(), ranges.end(), offset, [section](u64 wanted, const MovedRange &range) {
        return std::pair(section, wanted) < std::pair(range.section, range.begin);
      });
  if (next == ranges.begin() || std::prev(next)->section != section)
    return offset + base;
  return std::prev(next)->offset + (offset - std::prev(next)->begin);
}

u64 output_offset(const RelocationContext &c, const RelocSource &source, u64 offset) {
  return source.moves ? moved_offset(c, source.object, source.table->info, offset, source.base)
                      : offset + source.base;
}

using arch::RelocInfo;
using Against = KeptRelocation::Against;

namespace {

// The view has checked that the field starts inside its section.
bool is_inside(const RelocSource &source, u64 offset, const RelocInfo &row) {
  const u64 size = source.section->size;
  return offset <= size && row.field_bytes <= size - offset;
}

// The contents of the field of a relocation that has no other addend.
u64 addend_in_field(const RelocEntry &entry) {
  if (!entry.source.field_addends || entry.source.loses_addends || !entry.row)
    return 0;
  const auto field =
      arch::implicit_addend(entry.source.section->data, entry.raw.offset, *entry.row);
  return field ? field->value : 0;
}

// The addend is part of `value`, unless it is in the field.
bool has_implicit_addend(const RelocSource &source, const RelocTarget &target) {
  return source.field_addends && !(source.loses_addends && target.addend_shift != 0);
}

// True if a kept entry may need the contents of its field.
bool needs_field(const RelocSource &source, const RelocTarget &target) {
  return source.field_addends && (source.group->has_addends || target.against == Against::Section);
}

// True if a kernel reaches a function; false if only its address is taken.
bool is_reached(const RelocationContext &c, FunctionId function) {
  const LiveReason reason = c.program.live.why[function.value].reason;
  return reason >= LiveReason::Kernel && reason <= LiveReason::PointerCall;
}

// True if something refers to what is not in the output: to a section that only linkers read, or
// live code to a function that is not live, because the call graph of its object does not have the
// call. No compiler writes either. A function that is live only because its address is taken does
// not keep its callees, though.
bool is_lost(const RelocationContext &c, const RelocSource &source, const RelocTarget &target) {
  if (target.kind == TargetKind::Placed && target.against == Against::Nothing)
    return true;
  if (target.kind != TargetKind::DiscardedFunction || !source.function.valid() ||
      (source.section->flags & elf::kFlagAlloc) == 0)
    return false;
  if (const Entity &entity = c.program.symbols[EntityId(target.id)];
      !entity.defined() && entity.weak())
    return false;
  return is_reached(c, source.function);
}

// True if something refers to a section as a whole whose parts go to several places or nowhere, or
// to debug information without being a part of it. No compiler writes either.
bool names_no_place(const RelocationContext &c, const RelocSource &source, u32 symbol) {
  const InputObject &object = c.program.objects[source.object.value];
  const elf::Symbol &target = object.symbols[symbol];
  if (target.type() != elf::SymbolType::Section || !target.in_section())
    return false;
  const elf::SectionKind &kind = object.kinds[target.section];
  switch (kind.role) {
  case elf::SectionRole::Shared:
  case elf::SectionRole::DebugShared:
  case elf::SectionRole::UftEntry:
  case elf::SectionRole::UdtEntry:
    return true;
  default:
    return kind.is_debug() && !object.kinds[source.table->info].is_debug();
  }
}

// True if code refers to shared memory that it does not have: that of another kernel, or a variable
// without a place, because the other form of the code does not refer to it.
bool names_foreign_memory(const RelocationContext &c, const RelocSource &source,
                          const RelocTarget &target, u32 symbol) {
  if (!source.function.valid())
    return false;
  const InputObject &object = c.program.objects[source.object.value];
  const elf::Symbol &named = object.symbols[symbol];
  if (named.in_section() && object.kinds[named.section].role == elf::SectionRole::Shared)
    return object.kinds[named.section].owner != object.kinds[source.table->info].owner;
  return target.dynamic_shared && c.program.policy.places_memory &&
         target.value == static_cast<u64>(SharedPlan::kNowhere) && is_reached(c, source.function);
}

// True if code needs a property that its target does not have: an image has a slot, a shared
// variable an offset that is known here. (Where shared variables have no symbols, no rule would
// keep such a relocation.)
bool asks_too_much(const RelocationContext &c, const RelocEntry &entry) {
  if (!entry.source.function.valid() || !entry.row || !c.program.policy.executable)
    return false;
  if (entry.target.kind == TargetKind::Image)
    return entry.row->image != arch::ImageAction::Slot;
  return entry.target.kind == TargetKind::Internal &&
         entry.row->resolver != arch::Resolver::Linker &&
         is_shared_variable(c.program, entry.target);
}

// True if code or data has a relocation against an image that means nothing there. nvlink stores 0.
bool is_no_image(const RelocationContext &c, const RelocEntry &entry) {
  return entry.row->image == arch::ImageAction::ZeroValue && c.program.policy.executable &&
         (entry.source.section->flags & elf::kFlagAlloc) != 0 && !c.program.policy.emulates_nvlink;
}

std::string name_of(const RelocEntry &entry) {
  return entry.row ? std::string(entry.row->name) : std::to_string(entry.raw.type);
}

std::string location_of(const RelocationContext &c, const RelocEntry &entry) {
  return fmt::format("{}+{:#x}", c.layout.sections.name(entry.source.group->target), entry.offset);
}

// "-0x8", "0x10".
std::string signed_hexadecimal(u64 value) {
  const bool negative = static_cast<i64>(value) < 0;
  return fmt::format("{}{:#x}", negative ? "-" : "", negative ? 0 - value : value);
}

} // namespace

void RelocationReader::read_slice(const RelocationSlice &slice) {
  const OutId target = c_.layout.relocs.groups[slice.group].target;
  if (!c_.layout.sections[target].discarded() && !is_of_overridden_code(c_, slice) &&
      !is_of_overridden_bank(c_, slice))
    read_table(source_of(c_, slice));
}

RelocTarget RelocationReader::target_of(const RelocSource &source, u32 symbol) const {
  RelocTarget target = resolve_target(c_, source.object, symbol, source.function);
  if (!c_.program.policy.emulates_nvlink &&
      (is_lost(c_, source, target) || names_no_place(c_, source, symbol) ||
       names_foreign_memory(c_, source, target, symbol)))
    target.kind = TargetKind::Lost;
  return target;
}

void RelocationReader::read_table(const RelocSource &source) {
  const elf::RelocationTable entries =
      c_.program.objects[source.object.value].view.relocations(*source.table);
  u32 symbol = kNoIndex;
  bool drops = false; // all entries against the symbol
  RelocTarget target;
  for (u32 i = entries.size(); i-- > 0;) {
    const elf::Relocation raw = entries[i];
    if (raw.symbol != symbol) {
      symbol = raw.symbol;
      drops = drops_symbol(c_, source, symbol);
      if (!drops)
        target = target_of(source, symbol);
    }
    if (!drops && !drops_offset(c_, source, raw.offset))
      read_entry(
          {source, raw, output_offset(c_, source, raw.offset), arch::find_reloc(raw.type), target});
  }
}

// Reads constants from the last to the first; of each, the tables from the last object's to the
// first, and each table from its end.
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

void RelocationReader::read_entry(const RelocEntry &entry) {
  const RelocationGroup &group = *entry.source.group;
  if (!c_.program.policy.emulates_nvlink && asks_too_much(c_, entry))
    return refuse(entry);
  const RelocAction action = action_of(c_.rules, entry.target.kind, entry.raw.type, entry.row);
  const bool acts = action != RelocAction::Drop && action != RelocAction::Refuse;
  const bool inside = stores(action) ? is_inside(entry.source, entry.raw.offset, *entry.row)
                                     : entry.offset < entry.source.output_size;
  if (acts && !inside)
    return report_outside(entry);
  switch (action) {
  case RelocAction::Drop:
    return;
  case RelocAction::Keep:
    return keep(entry);
  case RelocAction::Fold:
    return fold(entry);
  case RelocAction::KeepAsNone:
    plan_.kept.push_back(
        {.table = group.table, .offset = entry.offset, .addend = entry.raw.addend});
    return;
  case RelocAction::KeepImage:
    return keep_image(entry);
  case RelocAction::FoldAddend:
    return fold_addend(entry);
  case RelocAction::FoldImage:
    return is_no_image(c_, entry) ? refuse(entry) : fold_image(entry);
  case RelocAction::Clear:
    plan_.folded.push_back({.section = group.target, .offset = entry.offset, .row = entry.row});
    return;
  case RelocAction::Refuse:
    return refuse(entry);
  }
}

// The growth of the addend of a relocation against a section symbol: the part of the section that
// it refers to has been moved.
u64 RelocationReader::addend_shift(const RelocEntry &entry) const {
  if (!entry.source.moves || entry.target.against != Against::Section)
    return entry.target.addend_shift;
  const ObjectId object = entry.source.object;
  const u32 section = c_.program.objects[object.value].symbols[entry.raw.symbol].section;
  const u64 addend = static_cast<u64>(entry.raw.addend) + addend_in_field(entry);
  return moved_offset(c_, object, section, addend, entry.target.addend_shift) - addend;
}

// An SHT_REL entry that may need an addend, because parts of the section that it refers to have
// moved or the output has one table for all. The contents of the field are then no longer all of
// the addend. A lossless -r gives one to every entry against a section, because the next link moves
// parts, too.
void RelocationReader::keep(const RelocEntry &entry) {
  const RelocationGroup &group = *entry.source.group;
  const u64 addend = static_cast<u64>(entry.raw.addend) + addend_shift(entry);
  const bool executable = c_.program.policy.executable;
  KeptRelocation out{.table = group.table,
                     .id = entry.target.id,
                     .offset = entry.offset,
                     .addend = static_cast<i64>(addend),
                     .type = executable && entry.row ? entry.row->number_in_executable()
                                                     : entry.raw.type,
                     .against = entry.target.against};
  if (needs_field(entry.source, entry.target)) {
    const bool moved = entry.target.addend_shift != 0;
    if (moved || group.has_addends || c_.program.policy.keeps_all_relocations)
      out.addend += static_cast<i64>(addend_in_field(entry));
    const OutId rela = group.has_addends ? group.table : c_.rela_of[group.target.value];
    if (rela.valid() && (moved || out.addend != 0))
      out.table = rela;
  }
  plan_.kept.push_back(out);
}

// Kept for the next link. The SASS shows where slots would begin.
void RelocationReader::keep_image(const RelocEntry &entry) {
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

// Adds a value that is stored, if its field can hold it.
void RelocationReader::store(const RelocEntry &entry, arch::FieldValue value, bool image_slot) {
  const bool implicit_addend = has_implicit_addend(entry.source, entry.target);
  plan_.folded.push_back({.section = entry.source.group->target,
                          .implicit_addend = implicit_addend,
                          .image_slot = image_slot,
                          .offset = entry.offset,
                          .row = entry.row,
                          .value = value});
  if (c_.program.policy.truncates_values)
    return;
  const u64 addend = implicit_addend ? addend_in_field(entry) : 0;
  // An addend in the field is a negative one if its first bit is set.
  if (!entry.row->can_store(value.value + addend) &&
      (addend < entry.row->range_end() / 2 || addend == 0 ||
       !entry.row->can_store(value.value + addend - entry.row->range_end())))
    report_range(entry, value.value + addend);
}

void RelocationReader::fold(const RelocEntry &entry) {
  const u64 addend = static_cast<u64>(entry.raw.addend) + addend_shift(entry);
  store(entry, {entry.target.value + addend, entry.target.bank});
}

void RelocationReader::fold_addend(const RelocEntry &entry) {
  u64 start = entry.target.addend_shift;
  if (is_shared_variable(c_.program, entry.target))
    start = entry.target.dynamic_shared ? kDynamicAlign
                                        : c_.layout.placement.address_of[entry.target.id].value;
  store(entry, {start + static_cast<u64>(entry.raw.addend), 0});
}

void RelocationReader::fold_image(const RelocEntry &entry) {
  const bool slot =
      entry.row->image == arch::ImageAction::Slot && entry.target.value != ImagePlan::kNoSlot;
  const u64 value = (slot ? entry.target.value : 0) + static_cast<u64>(entry.raw.addend);
  // Without a slot nvlink -r writes the bank of what is in no bank.
  store(entry, {value, slot ? u8{0} : entry.target.bank}, slot);
}

void RelocationReader::refuse(const RelocEntry &entry) {
  const InputObject &object = c_.program.objects[entry.source.object.value];
  const elf::Symbol &symbol = object.symbols[entry.raw.symbol];
  const bool section = symbol.type() == elf::SymbolType::Section && symbol.in_section();
  const std::string_view name = section ? object.section(symbol.section).name : symbol.name;
  const bool lost = entry.target.kind == TargetKind::Lost;
  diag_.report(DiagId::UnsupportedRelocation,
               {object.name, name_of(entry), location_of(c_, entry), std::string(name)}, {},
               lost ? "the output does not have what it refers to" : "");
}

void RelocationReader::report_outside(const RelocEntry &entry) {
  diag_.report(
      DiagId::RelocationOutsideSection,
      {c_.program.objects[entry.source.object.value].name, name_of(entry), location_of(c_, entry)},
      {fmt::format("r_offset of an entry of {}", elf::describe_section(*entry.source.table))});
}

void RelocationReader::report_range(const RelocEntry &entry, u64 value) {
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

} // namespace culink
