// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Registers and stack of a call tree in one sweep: nodes come callees first, so each node's value
// is final when a caller asks for it. Inside a circle of calls every member reaches every other;
// their maximum is taken together, and their stack has no bound.
#include "link/records/propagate.h"

#include <algorithm>
#include <span>

#include "base/bytes.h"

namespace culink {

namespace {

std::vector<u32> *list_of(elf::InfoAttribute attribute, Resources &out) {
  switch (attribute) {
  case elf::InfoAttribute::Regcount:
    return &out.own_registers;
  case elf::InfoAttribute::FrameSize:
    return &out.own_frame;
  case elf::InfoAttribute::MaxStackSize:
    return &out.stack_limit;
  default:
    return nullptr;
  }
}

// The object with the prevailing definition alone has the values of a function.
void read_own(const Program &p, WorkerPool &pool, Resources &out) {
  constexpr u32 kTogether = 16;
  const auto read = [&](u32 i) {
    for (const InputObject::Info &info : p.objects[i].infos) {
      if (info.text != 0)
        continue;
      for (const elf::InfoRecord record : info.records) {
        std::vector<u32> *const values = list_of(record.attribute, out);
        if (!values || record.payload.size() < 8)
          continue;
        const EntityId entity = p.symbols.of(ObjectId(i), load_le<u32>(record.payload.data()));
        if (!entity.valid() || !p.function_of(entity).valid() ||
            p.symbols[entity].prevailing.object != ObjectId(i))
          continue;
        (*values)[p.function_of(entity).value] = load_le<u32>(record.payload.data() + 4);
      }
    }
  };
  pool.for_ranges(static_cast<u32>(p.objects.size()), kTogether, [&](u32 begin, u32 end) {
    for (u32 i = begin; i < end; ++i)
      read(i);
  });
}

} // namespace

Resources own_resources(const Program &p, WorkerPool &pool) {
  const u32 count = p.calls.node_count();
  Resources out;
  out.own_registers.assign(count, 0);
  out.own_frame.assign(count, 0);
  out.stack_limit.assign(count, 0);
  read_own(p, pool, out);
  return out;
}

// Most nodes call none, and need what they need by themselves; most others are kernels, which
// nobody calls, and so may come last, all threads at a time.
Resources propagate_resources(const Program &p, const Reach &reach, Resources out,
                              WorkerPool &pool) {
  const u32 count = p.calls.node_count();
  out.registers = out.own_registers;
  out.stack.assign(out.own_frame.begin(), out.own_frame.end());
  out.unbounded.assign(count, false);
  const auto settle = [&](std::span<const u32> component) {
    u32 registers = 0;
    u64 deepest = 0;
    bool unbounded = reach.recursive(component[0]);
    for (const u32 node : component) {
      registers = std::max(registers, out.own_registers[node]);
      for (const u32 callee : p.calls.edges[node]) {
        registers = std::max(registers, out.registers[callee]);
        deepest = std::max(deepest, out.stack[callee]);
        unbounded = unbounded || out.unbounded[callee];
      }
    }
    for (const u32 node : component) {
      out.registers[node] = registers;
      out.unbounded[node] = unbounded;
      out.stack[node] = unbounded ? 0 : out.own_frame[node] + deepest;
    }
  };
  for (const std::span<const u32> component : reach.inner_components())
    settle(component);
  constexpr u32 kTogether = 4096; // whose bits share no word with others
  pool.for_ranges(count, kTogether, [&](u32 begin, u32 end) {
    for (u32 node = begin; node < end; ++node)
      if (!p.calls.edges[node].empty() && !reach.called(node))
        settle(std::span(&node, 1));
  });
  return out;
}

} // namespace culink
