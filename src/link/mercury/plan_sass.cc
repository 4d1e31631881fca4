// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The second plan of a link of Mercury code. All passes have run over the Mercury planes of the
// objects, so everything about the program is decided: which definitions prevail, which sections
// exist, where variables are. What is left is to say it in SASS: code as it was compiled or
// finalized, constants and records about it, debug information, relocations. lay_out_planes then
// writes both plans into one file.
//
// Passes that are run again over the other plane need a Program; it differs from that of the
// Mercury plane in its objects and in the row of the target. Parts of debug sections are in the
// order of the symbol table, which is known before the table is written.
//
// The order: code first, because everything else asks where its instructions are. Debug sections
// before relocations, which need to know where the parts of sections are. Capsules after
// relocations, whose values they hold, too.
#include "link/mercury/plan_sass.h"

#include <algorithm>

#include "link/mercury/sass_relocations.h"
#include "link/relocs/image_index.h"

namespace culink {

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
