// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shared memory in a relocatable link: nothing gets an address, the next link will do that. A
// section has the sum of its variables' sizes, and dynamic memory stays undefined, as it came.
#include "link/place/place_shared_relocatable.h"

#include <algorithm>

#include "link/nvlink/shared_memory.h"
#include "link/place/shared_uses.h"

namespace culink {

namespace {

class RelocatablePlacer {
public:
  RelocatablePlacer(const Program &program, Layout layout)
      : p_(program), layout_(std::move(layout)),
        plan_(static_cast<u32>(program.symbols.entities.size())) {}

  PlacedShared run();

private:
  void leave_dynamic_memory();
  void sum_up_sizes(OutId section);

  const Program &p_;
  Layout layout_;
  SharedPlan plan_;
};

PlacedShared RelocatablePlacer::run() {
  if (layout_.sections.debug_shared.valid()) {
    leave_dynamic_memory();
    sum_up_sizes(layout_.sections.debug_shared);
  }
  for (u32 f = 0; f < p_.calls.functions.size(); ++f) {
    if (!p_.live.kernel[f] && !p_.live.demoted[f])
      continue;
    const OutId text = layout_.placement.address_of[p_.calls.functions[f].value].section;
    const OutId id = layout_.sections.find_for(
        ".nv.shared." + std::string(p_.entity_of(FunctionId(f)).name), text);
    if (!id.valid())
      continue;
    layout_.sections[id].info = text;
    layout_.sections[id].has_symbol = true;
    sum_up_sizes(id);
  }
  return {std::move(layout_), std::move(plan_)};
}

void RelocatablePlacer::leave_dynamic_memory() {
  for (const EntityId v : layout_.sections.shared_variables(layout_.sections.debug_shared)) {
    const Entity &entity = p_.symbols[v];
    if (entity.size != 0 && (entity.defined() || entity.sized))
      continue;
    plan_.is_dynamic[v.value] = true;
    const u64 align = layout_.placement.shared_align[v.value]; // which the next link has to know
    layout_.placement.address_of[v.value] = {OutId{}, align > 1 ? align : 0};
  }
}

void RelocatablePlacer::sum_up_sizes(OutId id) {
  u64 sum = 0, align = 1;
  for (const EntityId v : layout_.sections.shared_variables(id))
    if (!plan_.dynamic(v)) {
      sum += p_.symbols[v].size;
      align = std::max(align, layout_.placement.shared_align[v.value]);
    }
  if (const UnnamedShared *block = layout_.placement.unnamed_in(id)) {
    sum += block->size;
    align = std::max(align, block->align);
  }
  if (sum == 0)
    return;
  OutSection &section = layout_.sections[id];
  section.align = align;
  section.size = size_in_object(sum, align);
  section.presence = Presence::Always;
  section.has_symbol = true;
}

} // namespace

PlacedShared place_shared_relocatable(const Program &program, Layout layout) {
  if (!program.policy.resolves_early)
    return RelocatablePlacer(program, std::move(layout)).run();
  SharedUses uses = find_shared_uses(program, layout);
  return nvlink::place_shared_early(program, std::move(uses), std::move(layout));
}

} // namespace culink
