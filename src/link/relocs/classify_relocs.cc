// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The action for every relocation of the inputs. A device link keeps many of them: addresses of
// functions and global variables are known only to the loader. So each one is folded (its value is
// stored), kept or dropped, and this is decided before the layout of the file, because what is kept
// has a size. All values are known here; nothing depends on where a section lies in the file.
//
// Tables of the inputs are sorted into the order of the output and divided among threads
// (relocation_reader.cc). The resulting lists are joined in this order; draft_file and write_image
// carry them out.
#include "link/relocs/classify_relocs.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include "elf/target/instructions.h"
#include "elf/target/reloc.h"
#include "link/relocs/reloc_target.h"
#include "link/relocs/relocation_reader.h"
#include "support/bytes.h"

namespace culink {

// The lists of --preserve-relocs. For tools that patch programs, an executable may list the
// resolved relocations: .nv.resolvedrela<section> lists the relocations of the section that were
// folded or cleared, those of .rel and .rela tables in one list. Here the tables are read once more
// and the rules of reloc_action.cc are asked again; classify_relocations adds the result to what is
// kept.
//
// What may surprise: a list is not what was folded. Some symbols are not named (those that the
// linker makes for itself), and what is cleared is named only if its size is known.

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
  // With Mercury code, only relocations of code against shared variables are listed (Q105).
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
// is there (Q074), or with the start of a part that has moved.
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

// --preserve-relocs: the entries of .nv.resolvedrela sections, which list what was folded.
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

// By OutId, the .rela table of a section.
std::vector<OutId> rela_tables(const Layout &layout) {
  std::vector<OutId> out(layout.sections.size());
  for (const RelocationGroup &group : layout.relocs.groups)
    if (group.has_addends)
      out[group.target.value] = group.table;
  return out;
}

// By group; of each group, those that were read last come first.
std::vector<RelocationSlice> slices_in_output_order(const RelocationInputs &relocs) {
  std::vector<u32> next(relocs.groups.size() + 1); // by group: where its next slice goes
  for (const RelocationSlice &slice : relocs.slices)
    ++next[slice.group + 1];
  std::partial_sum(next.begin(), next.end(), next.begin());
  std::vector<RelocationSlice> out(relocs.slices.size());
  for (size_t i = relocs.slices.size(); i-- > 0;)
    out[next[relocs.slices[i].group]++] = relocs.slices[i];
  return out;
}

// The relocations of some slices.
struct Part {
  RelocationPlan plan;
  Diagnostics diag;
};

std::vector<Part> read_slices(const RelocationContext &context, WorkerPool &pool) {
  constexpr u32 kTogether = 64;
  const std::vector<RelocationSlice> slices = slices_in_output_order(context.layout.relocs);
  std::vector<Part> parts(slices.size() / kTogether + 1);
  pool.for_ranges(static_cast<u32>(slices.size()), kTogether, [&](u32 begin, u32 end) {
    Part &part = parts[begin / kTogether];
    RelocationReader reader(context, part.diag);
    for (u32 i = begin; i < end; ++i)
      reader.read_slice(slices[i]);
    part.plan = reader.take();
  });
  return parts;
}

template <typename List> List join(std::vector<Part> &parts, List RelocationPlan::*list) {
  size_t size = 0;
  for (const Part &part : parts)
    size += (part.plan.*list).size();
  List out;
  out.reserve(size);
  for (Part &part : parts) {
    const List more = std::move(part.plan.*list);
    out.insert(out.end(), more.begin(), more.end());
  }
  return out;
}

} // namespace

RelocationPlan classify_relocations(const Program &program, const Layout &layout,
                                    const SharedPlan &shared, const ImagePlan &images,
                                    WorkerPool &pool, Diagnostics &diag) {
  const RelocationContext context{
      program, layout, shared, images, rule_inputs_of(program), rela_tables(layout)};
  std::vector<Part> parts = read_slices(context, pool);
  if (!layout.relocs.copied.empty()) {
    Part &part = parts.emplace_back();
    RelocationReader reader(context, part.diag);
    reader.read_copied_constants();
    part.plan = reader.take();
  }
  if (program.policy.lists_resolved) {
    Part &part = parts.emplace_back();
    part.plan.kept = list_resolved(context, part.diag);
  }
  RelocationPlan out{join(parts, &RelocationPlan::kept), join(parts, &RelocationPlan::folded)};
  for (Part &part : parts)
    diag.append(std::move(part.diag));
  const auto is_before = [](const FoldedRelocation &a, const FoldedRelocation &b) {
    return a.section < b.section;
  };
  if (!std::ranges::is_sorted(out.folded, is_before))
    std::ranges::stable_sort(out.folded, is_before);
  if (images.tables.empty() || !program.policy.updates_image_base)
    return out;
  const CodeOf code_of = [&](OutId text) { return layout.sections[text].first; };
  return index_images(layout, images, code_of, std::move(out));
}

// Images by index. Code that was compiled with -G and refers to textures and samplers apart loads
// the number of each by `MOV R, index; LDC R, c[0][R + base]`. The relocation is at the first
// instruction; the base, the offset of the first slot in the object, has none. The linker stores
// the index of the slot and, in the load, the offset of the first slot in the output.
//
// What may surprise: the load has to be found by decoding the instructions after the first one. If
// there is none, the value stays the offset of the slot.

using arch::kInstructionSize;

namespace {

// Where the load is in `MOV R, index; LDC R, c[0][R + base]`.
std::optional<u64> find_indexed_load(ByteSpan code, u64 index_offset) {
  constexpr u64 kFarthest = 8; // instructions
  const u64 first = index_offset / kInstructionSize * kInstructionSize;
  for (u64 i = 1; i <= kFarthest; ++i) {
    const u64 at = first + i * kInstructionSize;
    const std::optional<ByteSpan> load = slice(code, at, kInstructionSize);
    if (!load)
      break;
    if (const arch::InstructionInfo *row = arch::find_instruction(*load);
        row && row->loads_from_bank_0 &&
        (*load)[arch::kSourceByte] == code[first + arch::kDestinationByte])
      return at;
  }
  return std::nullopt;
}

} // namespace

RelocationPlan index_images(const Layout &layout, const ImagePlan &images, const CodeOf &code_of,
                            RelocationPlan plan) {
  const u64 base = images.slot_base;
  const arch::RelocInfo &index = arch::reloc_for(arch::RelocRole::ImageIndex);
  const arch::RelocInfo &first = arch::reloc_for(arch::RelocRole::ImageBase);
  std::vector<FoldedRelocation> loads;
  for (FoldedRelocation &value : plan.folded) {
    if (!value.image_slot || value.row != &index ||
        !layout.sections.function(value.section).valid())
      continue;
    const auto load = find_indexed_load(code_of(value.section), value.offset);
    if (!load)
      continue;
    value.value.value -= base;
    loads.push_back({.section = value.section, .offset = *load, .row = &first, .value = {base, 0}});
  }
  if (loads.empty())
    return plan;
  plan.folded.insert(plan.folded.end(), loads.begin(), loads.end());
  std::stable_sort(
      plan.folded.begin(), plan.folded.end(),
      [](const FoldedRelocation &a, const FoldedRelocation &b) { return a.section < b.section; });
  return plan;
}

} // namespace culink
