// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Relocations of the SASS plane. They are classified by the same pass as those of the Mercury
// plane, over a layout that says where things are in SASS: sizes of code, parts of debug sections
// and the system's shared memory differ. Then they follow the instructions that a finalizer has
// moved.
//
// What may surprise: the layout of the SASS plane is a value of its own, derived from that of the
// Mercury plane, and has no contents; those are other parts of the SassPlan.
#include "link/mercury/sass_relocations.h"

#include <algorithm>

#include "base/bytes.h"

namespace culink {

using elf::SectionType;

namespace {

OutputSections sass_sections(const SassContext &c, const SassCodeList &code,
                             const SassDebug &debug) {
  const OutputSections &mercury = c.layout().sections;
  OutputSections out;
  out.table.names = mercury.table.names;
  out.table.list = mercury.table.list;
  out.details = mercury.details;
  out.newest = mercury.newest;
  out.has_unified_functions = mercury.has_unified_functions;
  for (u32 i = 0; i < out.size(); ++i) {
    OutSection &section = out[OutId(i)];
    section.first = {};
    section.extra = OutSection::kNoExtra;
    if (out.function(OutId(i)).valid())
      section.size = code.by_text[i].compiled.size();
  }
  for (const DebugSection &section : debug.sections)
    if (section.size)
      out[section.id].size = *section.size;
  return out;
}

// The system's shared memory is placed by nvlink when it makes the SASS plane of an executable.
SymbolAddresses sass_addresses(const SassContext &c) {
  SymbolAddresses out = c.layout().placement.address_of;
  if (c.mercury.policy.executable)
    for (SymbolAddress &address : out)
      if (address.section.valid() &&
          c.section(address.section).type == SectionType::CudaReservedShared)
        address.value += c.inputs.arch.reserved_slot;
  return out;
}

Placement sass_placement(const SassContext &c, const SassDebug &debug) {
  const Placement &mercury = c.layout().placement;
  Placement out;
  out.address_of = sass_addresses(c);
  out.location_of = debug.location_of;
  for (const FunctionConstants &constants : mercury.function_constants) {
    FunctionConstants &added = out.function_constants.emplace_back();
    added.function = constants.function;
    added.type = constants.type;
    added.size = constants.size;
    added.offset = constants.offset;
    added.parts = constants.parts;
    added.relocations = constants.relocations;
  }
  out.null_symbol_value = mercury.null_symbol_value;
  return out;
}

// Relocations of line tables and call frames are those that sass_lines and sass_frames have made.
RelocationInputs sass_relocation_inputs(const SassContext &c, const SassDebug &debug) {
  const RelocationInputs &mercury = c.layout().relocs;
  RelocationInputs out;
  out.groups = mercury.groups;
  std::ranges::copy_if(mercury.slices, std::back_inserter(out.slices),
                       [&](const RelocationSlice &slice) {
                         return !is_rebuilt(c.name(mercury.groups[slice.group].target));
                       });
  out.copied = mercury.copied;
  out.discarded = mercury.discarded;
  out.has_overridden = mercury.has_overridden;
  out.moved = mercury.moved;
  out.moved.resize(c.sass.objects.size());
  for (const DebugSection &section : debug.sections)
    for (const DebugSection::Unit &unit : section.units)
      out.moved[unit.object].push_back(unit.range);
  for (std::vector<MovedRange> &ranges : out.moved)
    std::sort(ranges.begin(), ranges.end(), [](const MovedRange &a, const MovedRange &b) {
      return std::pair(a.section, a.begin) < std::pair(b.section, b.begin);
    });
  return out;
}

// The code that a relocation stores into, if its instructions have moved.
const SassCode *moved_code(const SassContext &c, const SassCodeList &code, OutId section) {
  return c.function(section).valid() && code[section].moves() ? &code[section] : nullptr;
}

// Return addresses, and offsets in the code that debug information names.
i64 moved_addend(const SassContext &c, const SassCodeList &code, const KeptRelocation &kept) {
  const EntityId named(kept.id);
  const SassCode *target_code =
      c.mercury.symbols[named].function ? code.find(c.layout(), named) : nullptr;
  if (!target_code || !target_code->moves())
    return kept.addend;
  const OutId target = c.section(kept.table).target();
  const EntityId function = c.function(target);
  const bool debug = !function.valid() && (c.section(target).flags & elf::kFlagAlloc) == 0;
  if (function != named && !debug)
    return kept.addend;
  return kept.addend == static_cast<i64>(target_code->compiled.size())
             ? static_cast<i64>(target_code->text.size())
             : static_cast<i64>(target_code->moved_label(static_cast<u64>(kept.addend)));
}

KeptRelocations apply_merged_addends(const SassContext &c, const nvlink::MergedDebug &merged,
                                     KeptRelocations kept) {
  std::vector<u32> numbers;
  std::vector<nvlink::DebugReference> references;
  for (u32 i = 0; i < kept.size(); ++i) {
    const std::string_view name = c.name(c.section(kept[i].table).target());
    if (kept[i].against != KeptRelocation::Against::Entity ||
        (name != ".debug_loc" && name != ".debug_info"))
      continue;
    numbers.push_back(i);
    references.push_back(
        {EntityId(kept[i].id), name == ".debug_info", kept[i].offset, kept[i].addend});
  }
  const std::vector<i64> addends = nvlink::merged_addends(merged, references);
  for (size_t i = 0; i < numbers.size(); ++i)
    kept[numbers[i]].addend = addends[i];
  return kept;
}

} // namespace

Layout sass_layout(const SassContext &c, const SassCodeList &code, const SassDebug &debug) {
  return {sass_sections(c, code, debug), sass_placement(c, debug),
          sass_relocation_inputs(c, debug)};
}

RelocationPlan move_relocations(const SassContext &c, const SassCodeList &code,
                                const nvlink::MergedDebug &merged, RelocationPlan plan) {
  for (FoldedRelocation &value : plan.folded)
    if (const SassCode *moved = moved_code(c, code, value.section))
      value.offset = moved->moved(value.offset);
  // Known from here on, and no SASS asks the loader for it.
  if (c.mercury.policy.executable)
    std::erase_if(plan.kept, [&](const KeptRelocation &kept) {
      return kept.against == KeptRelocation::Against::Entity &&
             c.mercury.symbols[EntityId(kept.id)].name == ".nv.reservedSmem.cap";
    });
  for (KeptRelocation &kept : plan.kept) {
    if (const SassCode *moved = moved_code(c, code, c.section(kept.table).target()))
      kept.offset = moved->moved(kept.offset);
    if (kept.against == KeptRelocation::Against::Entity)
      kept.addend = moved_addend(c, code, kept);
  }
  if (!merged.functions.empty())
    plan.kept = apply_merged_addends(c, merged, std::move(plan.kept));
  return plan;
}

} // namespace culink
