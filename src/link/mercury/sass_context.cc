// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The program of the SASS plane and the order of its functions. Passes that are run again over the
// other plane need a Program; it differs from that of the Mercury plane in its objects and in the
// row of the target. Parts of debug sections are in the order of the symbol table, which is known
// before the table is written.
#include "link/mercury/sass_context.h"

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
    const EntityId function = c.section(id).function;
    if (!function.valid() || c.symbol_rank[function.value] == kNoIndex)
      continue;
    const auto [found, added] = out.emplace(c.mercury.symbols[function].name, function);
    if (!added && c.symbol_rank[function.value] < c.symbol_rank[found->second.value])
      found->second = function;
  }
  return out;
}

} // namespace culink
