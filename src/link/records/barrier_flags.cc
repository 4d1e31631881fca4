// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Barriers of old objects. Since toolkit 13 a function has a NUM_BARRIERS record; before, the count
// was in sh_flags of its code. A link of old and new objects moves the counts into records, after
// all others; so does nvlink 13 where all are old. plan_info_records calls this last.
// A kernel that has both, its record from a callee of toolkit 13, gets the larger count.
#include "link/records/barrier_flags.h"

#include <algorithm>

#include "elf/text_info.h"

namespace culink {

namespace {

// By node of the call graph: the count in the flags of the function's own code.
std::vector<u32> own_counts(const Program &p) {
  std::vector<u32> counts(p.calls.node_count(), 0);
  for (u32 f = 0; f < p.calls.functions.size(); ++f) {
    const Entity &entity = p.entity_of(FunctionId(f));
    if (!p.live.live[f] || !entity.defined())
      continue;
    const InputObject &object = p.objects[entity.prevailing.object.value];
    const elf::Symbol &symbol = object.symbols[entity.prevailing.symbol];
    if (symbol.in_section())
      counts[f] = elf::text_barriers(object.section(symbol.section).flags);
  }
  return counts;
}

// The maximum over everything that a node reaches.
std::vector<u32> reached_counts(const Program &p, const Reach &reach, const std::vector<u32> &own) {
  std::vector<u32> out(own.size(), 0);
  const std::vector<u32> &order = reach.callees_first();
  for (size_t begin = 0; begin < order.size();) {
    const u32 component = reach.component_of(order[begin]);
    size_t end = begin;
    u32 most = 0;
    for (; end < order.size() && reach.component_of(order[end]) == component; ++end) {
      most = std::max(most, own[order[end]]);
      for (const u32 callee : p.calls.edges[order[end]])
        most = std::max(most, out[callee]);
    }
    for (; begin < end; ++begin)
      out[order[begin]] = most;
  }
  return out;
}

// A kernel with a record that it has from a callee of toolkit 13.
struct RecordedKernel {
  u32 function;
  u32 owner; // the function that its code belongs to
  OutId text;
  u32 own;
  u32 reached;
};

InfoPlan raise_count(const RecordedKernel &kernel, const Program &p, const Layout &layout,
                     const std::vector<u32> &reached, InfoPlan plan) {
  RecordList &records = plan.of_function[kernel.owner];
  const u64 record = records.find(elf::InfoAttribute::NumBarriers);
  u32 count = kernel.reached;
  u64 flags = 0;
  if (p.policy.loses_barriers) {
    flags = u64{kernel.own} << elf::kTextBarrierShift;
    count = 0;
    for (const u32 callee : p.calls.edges[kernel.function])
      count = std::max(count, reached[callee]);
  }
  plan.text_flags.resize(layout.sections.size());
  plan.text_flags[kernel.text.value] = flags;
  count = std::max<u32>(count, records.value(record));
  records.set_value(record, static_cast<u16>(count));
  return plan;
}

} // namespace

InfoPlan add_barrier_records(const Program &p, const Reach &reach, const Layout &layout,
                             InfoPlan plan) {
  if (std::ranges::none_of(p.objects, &InputObject::has_barrier_flags))
    return plan;
  const std::vector<u32> own = own_counts(p);
  if (std::all_of(own.begin(), own.end(), [](u32 count) { return count == 0; }))
    return plan;
  const std::vector<u32> reached = reached_counts(p, reach, own);
  for (u32 f = 0; f < p.calls.functions.size(); ++f) {
    const u32 count = p.live.kernel[f] && p.policy.completes_kernels ? reached[f] : own[f];
    const OutId text = layout.placement.address_of[p.calls.functions[f].value].section;
    if (count == 0 || !p.live.live[f] || !text.valid())
      continue;
    const u32 owner = p.function_of(layout.sections.function(text)).value;
    RecordList &records = plan.of_function[owner];
    const u64 record = records.find(elf::InfoAttribute::NumBarriers);
    if (p.policy.old_abi) {
      plan.text_flags.resize(layout.sections.size());
      plan.text_flags[text.value] = u64{count} << elf::kTextBarrierShift;
      continue;
    }
    if (record == RecordList::kNone) {
      records.put_value(elf::InfoAttribute::NumBarriers, elf::RecordFormat::Byte,
                        static_cast<u16>(count));
      continue;
    }
    plan =
        raise_count({.function = f, .owner = owner, .text = text, .own = own[f], .reached = count},
                    p, layout, reached, std::move(plan));
  }
  return plan;
}

} // namespace culink
