// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The lists of --preserve-relocs. For tools that patch programs an executable may say what the
// linker has resolved: .nv.resolvedrela<section> lists the relocations of the section that were
// folded or cleared, those of .rel and .rela tables in one list. Here the tables are read once more
// and the rules of reloc_action.cc are asked again; classify_relocations adds the result to what is
// kept.
//
// What may surprise: a list is not what was folded. Some symbols are not named (those that the
// linker makes for itself), and what is cleared is named only if its size is known.
#include "link/relocs/resolved_list.h"

#include <algorithm>

#include "link/relocs/reloc_source.h"

namespace culink {

using Against = KeptRelocation::Against;

namespace {

// One relocation that may be listed.
struct ListedCandidate {
  const RelocSource &source;
  const elf::Relocation &raw;
  const arch::RelocInfo *row;
  const RelocTarget &target;
};

bool is_listed(const RelocationContext &c, const RelocRuleInputs &rules,
               const ListedCandidate &one) {
  const Program &p = c.program;
  const RelocTarget &target = one.target;
  if (!one.row || target.unlisted)
    return false;
  // With Mercury code only what code says about shared memory is listed (Q105).
  const elf::SectionRole role =
      p.objects[one.source.object.value].kinds[one.source.table->info].role;
  if (rules.has_mercury && !(is_shared_variable(p, target) && role == elf::SectionRole::Text))
    return false;
  const RelocAction action = action_of(rules, target.kind, one.raw.type, one.row);
  switch (target.kind) {
  case TargetKind::Image: // where there is a slot, the slot's relocation is enough
    return folds(action) &&
           (!p.policy.executable || one.row->image == arch::ImageAction::ZeroValue);
  case TargetKind::Placed:
  case TargetKind::PlacedUnnamed:
  case TargetKind::Internal:
  case TargetKind::InternalUnnamed:
    return target.against != Against::Nothing &&
           (folds(action) || (action == RelocAction::Clear && !target.dynamic_shared));
  case TargetKind::Null: // listed without its symbol, which is not part of the output (Q056)
    return folds(action);
  default:
    return false;
  }
}

// The addend in the list: of a table without addends the old content of the field, as it
// stands there (Q074), or with the start of a part that has moved.
i64 listed_addend(const ListedCandidate &one) {
  const i64 addend = one.raw.addend + static_cast<i64>(one.target.addend_shift);
  if (!one.source.field_addends || !one.row->has_field() ||
      one.row->resolver == arch::Resolver::Clear)
    return addend;
  const ByteSpan bytes = one.source.section->data;
  if (one.target.addend_shift != 0) {
    const auto field = arch::implicit_addend(bytes, one.raw.offset, *one.row);
    return field && !one.source.loses_addends ? addend + static_cast<i64>(field->value) : addend;
  }
  const auto field = arch::read_field(bytes, one.raw.offset, *one.row);
  return field ? static_cast<i64>(field->value >> one.row->pieces[0].value_bit) : addend;
}

// By OutId: the list of a section.
std::vector<OutId> lists_by_target(const Program &program, const Layout &layout) {
  std::vector<OutId> out(layout.sections.size());
  for (u32 i = 0; i < out.size(); ++i) {
    const OutSection &section = layout.sections[OutId(i)];
    if (section.type == elf::SectionType::CudaResolvedRela && section.target().valid())
      out[section.target().value] = OutId(i);
  }
  if (program.policy.shares_lists)
    for (const RelocationGroup &group : layout.relocs.groups)
      out[group.target.value] = layout.sections.find(
          ".nv.resolvedrela" + std::string(layout.sections.name(group.target)));
  return out;
}

// By OutId of the list, newest first.
std::vector<std::vector<RelocationSlice>> slices_of_lists(const Program &program,
                                                          const Layout &layout) {
  std::vector<std::vector<RelocationSlice>> out(layout.sections.size());
  const std::vector<OutId> list_of = lists_by_target(program, layout);
  for (const RelocationSlice &slice : layout.relocs.slices)
    if (const OutId list = list_of[layout.relocs.groups[slice.group].target.value]; list.valid())
      out[list.value].push_back(slice);
  for (std::vector<RelocationSlice> &slices : out)
    std::ranges::sort(slices, [](const RelocationSlice &a, const RelocationSlice &b) {
      return std::pair(a.object, a.section) > std::pair(b.object, b.section);
    });
  return out;
}

// A lossless -r lists what another link would have folded.
RelocRuleInputs rules_of_lists(const Program &program) {
  RelocRuleInputs rules = rule_inputs_of(program);
  rules.policy.keeps_all_relocations = false;
  return rules;
}

} // namespace

KeptRelocations list_resolved(const RelocationContext &c, Diagnostics &diag) {
  KeptRelocations out;
  const RelocRuleInputs rules = rules_of_lists(c.program);
  const auto list = [&](OutId table, const RelocSource &source, const elf::Relocation &raw) {
    const RelocTarget target = resolve_target(c, source.object, raw.symbol, source.function);
    const ListedCandidate one{source, raw, arch::find_reloc(raw.type), target};
    if (c.program.policy.refuses_unlisted && target.dangling && one.row &&
        one.row->resolver == arch::Resolver::Linker)
      diag.report(DiagId::DeletedSymbol, {std::string(c.program.symbols[EntityId(target.id)].name)},
                  {"referenced by " + c.program.objects[source.object.value].name});
    if (is_listed(c, rules, one))
      out.push_back(
          {.table = table,
           .id = target.id,
           .offset = output_offset(c, source, raw.offset),
           .addend = listed_addend(one),
           .type = c.program.policy.executable ? one.row->number_in_executable() : raw.type,
           .against = target.against});
  };
  const std::vector<std::vector<RelocationSlice>> lists = slices_of_lists(c.program, c.layout);
  for (u32 i = 0; i < lists.size(); ++i)
    for (const RelocationSlice &slice : lists[i]) {
      if (is_of_overridden_code(c, slice))
        continue;
      const RelocSource source = source_of(c, slice);
      const elf::RelocationTable entries =
          c.program.objects[slice.object.value].view.relocations(*source.table);
      for (u32 k = entries.size(); k-- > 0;)
        if (const elf::Relocation raw = entries[k];
            !drops_offset(c, source, raw.offset) && !drops_symbol(c, source, raw.symbol))
          list(OutId(i), source, raw);
    }
  return out;
}

} // namespace culink
