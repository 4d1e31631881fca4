// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The second plan of a link of Mercury code. All passes have run over the Mercury planes of the
// objects, so everything about the program is decided: which definitions prevail, which sections
// exist, where variables are. What is left is its form in SASS: code as compiled or finalized,
// constants and records for it, debug information, relocations. lay_out_planes then writes both
// plans into one file.
//
// Passes that run again on the SASS plane need a Program of their own, which differs from the
// Program of the Mercury plane in the objects and in the row of the target. Parts of debug sections
// are in the order of the symbol table, which is known before the table is written.
//
// The order: code first, because all other parts depend on the positions of instructions. Debug
// sections before relocations, which need to know where the parts of sections are. Capsules after
// relocations, whose values they hold, too.
#include "link/mercury/plan_sass.h"

#include <algorithm>

#include "link/mercury/sass_debug.h"
#include "link/relocs/classify_relocs.h"
#include "support/bytes.h"

namespace culink {

// Relocations of the SASS plane. They are classified by the same pass as those of the Mercury
// plane, over a layout with the positions in SASS: sizes of code, parts of debug sections and the
// system's shared memory differ. Then they follow the instructions that a finalizer has moved.
//
// What may surprise: the layout of the SASS plane is a separate value, derived from the Mercury
// plane's. It has no contents; these are in other members of the SassPlan.

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

// Relocations of line tables and call frames come from make_sass_lines and make_sass_frames.
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

// The layout of the SASS plane, as far as relocations ask for it: sections without their contents,
// locations and addresses, and the relocations of the inputs.
Layout sass_layout(const SassContext &c, const SassCodeList &code, const SassDebug &debug) {
  return {sass_sections(c, code, debug), sass_placement(c, debug),
          sass_relocation_inputs(c, debug)};
}

// Returns relocations at the new positions of instructions. `plan`: at the compiled positions.
RelocationPlan move_relocations(const SassContext &c, const SassCodeList &code,
                                const nvlink::MergedDebug &merged, RelocationPlan plan) {
  for (FoldedRelocation &value : plan.folded)
    if (const SassCode *moved = moved_code(c, code, value.section))
      value.offset = moved->moved(value.offset);
  // The symbol has a value now, and SASS does not need it from the loader.
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

} // namespace

Program sass_program(const Program &mercury, const SassInputs &inputs, const arch::ArchInfo &arch) {
  return {inputs.objects, mercury.symbols, mercury.calls,  mercury.live, mercury.options,
          arch,           mercury.dialect, mercury.policy, true};
}

std::vector<u32> rank_functions(const Program &program, const OutputSections &sections) {
  std::vector<u32> out(program.symbols.entities.size(), kNoIndex);
  u32 next = 0;
  for (const LocalSymbol &local : sections.locals)
    if (local.kind == LocalSymbol::Kind::Entity && program.symbols[EntityId(local.id)].function)
      out[local.id] = next++;
  for (const EntityId id : sections.globals)
    if (program.symbols[id].function)
      out[id.value] = next++;
  return out;
}

FunctionsByName first_functions_of_name(const SassContext &c) {
  FunctionsByName out;
  for (const OutId id : c.shape.order) {
    const EntityId function = c.function(id);
    if (!function.valid() || c.symbol_rank[function.value] == kNoIndex)
      continue;
    const auto [found, added] = out.emplace(c.mercury.symbols[function].name, function);
    if (!added && c.symbol_rank[function.value] < c.symbol_rank[found->second.value])
      found->second = function;
  }
  return out;
}

// A table of registers that is the same on both planes: the file has it once (Q179).
bool is_table_of_both(const OutputSections &sections, const DebugSection &sass) {
  const OutSection &mercury = sections[sass.id];
  if (!sections.name(sass.id).starts_with(".nv_debug_info_reg_") ||
      sass.bytes.size() != mercury.size)
    return false;
  for (const Piece &piece : sections.table.pieces(sass.id))
    if (!std::ranges::equal(ByteSpan(sass.bytes).subspan(piece.offset, piece.bytes.size()),
                            piece.bytes))
      return false;
  return true;
}

SassPlan plan_sass(const Program &mercury, const OutputPlan &plan, const SassInputs &inputs,
                   WorkerPool &pool, Diagnostics &diag) {
  const arch::ArchInfo arch = arch::as_plain_sass(inputs.arch);
  const Program sass = sass_program(mercury, inputs, arch);
  SassPlan out;
  out.shape = shape_file(plan, mercury.policy);
  const std::vector<u32> rank = rank_functions(mercury, plan.layout.sections);
  out.alias_owners = nvlink::find_alias_owners(mercury, plan.layout, rank);
  SassContext context{mercury, sass, inputs, plan, out.shape, rank, out.alias_owners};

  FinalizedCode finalized = finalize_code(context, diag);
  context.finalizes = inputs.finalizer && !finalized.refused;
  out.finalized = std::move(finalized.objects);
  out.code = read_code(context, out.finalized, diag);

  out.parameter_banks = find_parameter_banks(context, out.code);
  out.image_banks = find_image_banks(context, out.code);
  out.compiler_banks = fill_compiler_banks(context, out.code, out.finalized, diag);
  out.driver_calls = find_driver_calls(context, out.code);
  out.records = make_sass_records(context, out.code, out.driver_calls, pool);
  out.compat = make_compat(context, out.code);

  SassDebug debug = make_sass_debug(context, out.code, finalized.merged, diag);
  const Layout layout = sass_layout(context, out.code, debug);
  out.relocations =
      move_relocations(context, out.code, finalized.merged,
                       classify_relocations(sass, layout, plan.shared, plan.images, pool, diag));
  out.capsules = fill_capsules(context, out.code, out.relocations.folded, diag);
  const CodeOf code_of = [&](OutId text) { return out.code[text].text; };
  out.relocations =
      index_images(context.plan.layout, context.plan.images, code_of, std::move(out.relocations));
  for (DebugSection &section : debug.sections) {
    out.relocations.kept.insert(out.relocations.kept.end(), section.addresses.begin(),
                                section.addresses.end());
    if (is_table_of_both(context.plan.layout.sections, section))
      out.shape.counterpart[section.id.value] = Counterpart::Shared;
    else if (!section.bytes.empty())
      out.debug.push_back({section.id, std::move(section.bytes)});
  }
  return out;
}

} // namespace culink
