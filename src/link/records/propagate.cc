// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Computes registers and stack of all call trees. The input is each function's own resources, from
// the module records of its prevailing definition. One sweep over the components of the call graph
// suffices: callees come first, so a node's value is final when a caller needs it. Registers are
// the maximum over all callees, the stack is the deepest chain of frames. In a cycle of calls every
// member reaches every other, so they share one maximum, and their stack has no bound.
#include "link/records/propagate.h"

#include <algorithm>
#include <array>
#include <span>

#include "support/bytes.h"

namespace culink {

namespace {

// Values of functions that module records state.
enum Value : u8 { kNoValue, kOwnRegisters, kOwnFrame, kOwnStackLimit, kValueCount };

constexpr std::array<u8, 256> kValueOf = [] { // by attribute
  std::array<u8, 256> out{};
  out[static_cast<u8>(elf::InfoAttribute::Regcount)] = kOwnRegisters;
  out[static_cast<u8>(elf::InfoAttribute::FrameSize)] = kOwnFrame;
  out[static_cast<u8>(elf::InfoAttribute::MaxStackSize)] = kOwnStackLimit;
  return out;
}();

// The object with the prevailing definition alone has the values of a function.
FunctionId defined_by(const Program &p, ObjectId object, u32 symbol) {
  const EntityId entity = p.symbols.of(object, symbol);
  return entity.valid() && p.symbols[entity].prevailing.object == object ? p.function_of(entity)
                                                                         : FunctionId{};
}

// Several records in a row are about one function.
void read_values(const Program &p, ObjectId object, const elf::InfoRecords &records,
                 Resources &out) {
  constexpr u64 kSize = 2 * sizeof(u32); // a symbol and a value
  const std::array<u32 *, kValueCount> values = {nullptr, out.own_registers.data(),
                                                 out.own_frame.data(), out.stack_limit.data()};
  u32 symbol = 0;
  FunctionId function;
  for (const elf::InfoRecord &record : records) {
    const u8 value = kValueOf[static_cast<u8>(record.attribute)];
    if (value == kNoValue || record.payload.size() < kSize)
      continue;
    const u32 named = load_le<u32>(record.payload.data());
    if (named != symbol || symbol == 0) {
      symbol = named;
      function = defined_by(p, object, symbol);
    }
    if (function.valid())
      values[value][function.value] = load_le<u32>(record.payload.data() + 4);
  }
}

void read_own(const Program &p, WorkerPool &pool, Resources &out) {
  constexpr u32 kTogether = 16;
  pool.for_ranges(static_cast<u32>(p.objects.size()), kTogether, [&](u32 begin, u32 end) {
    for (u32 i = begin; i < end; ++i)
      for (const InputObject::Info &info : p.objects[i].infos)
        if (info.text == 0)
          read_values(p, ObjectId(i), info.records, out);
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

// Leaf functions need their own resources only. Functions without callers, as most kernels, come
// last.
Resources propagate_resources(const Program &p, const Reach &reach, Resources out) {
  const u32 count = p.calls.node_count();
  out.registers = out.own_registers;
  out.stack.assign(out.own_frame.begin(), out.own_frame.end());
  out.unbounded.assign(count, 0);
  const auto settle = [&](std::span<const u32> component) {
    u32 registers = 0;
    u64 deepest = 0;
    bool unbounded = reach.recursive(component[0]);
    for (const u32 node : component) {
      registers = std::max(registers, out.own_registers[node]);
      for (const u32 callee : p.calls.edges[node]) {
        registers = std::max(registers, out.registers[callee]);
        deepest = std::max(deepest, out.stack[callee]);
        unbounded = unbounded || out.unbounded[callee] != 0;
      }
    }
    for (const u32 node : component) {
      out.registers[node] = registers;
      out.unbounded[node] = unbounded ? 1 : 0;
      out.stack[node] = unbounded ? 0 : out.own_frame[node] + deepest;
    }
  };
  for (const std::span<const u32> component : reach.inner_components())
    settle(component);
  for (u32 node = 0; node < count; ++node)
    if (!p.calls.edges[node].empty() && !reach.called(node))
      settle(std::span(&node, 1));
  return out;
}

} // namespace culink
