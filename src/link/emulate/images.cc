// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// References to textures, samplers and surfaces.
//
// Images by index in links of SASS alone: nvlink adds the offset of the first slot to the index and
// leaves the old offset in the load, which then reads beyond the slots. In files with Mercury code
// it updates the load (Q112).
//
// Images that are parameters of kernels (.param .texref) are local symbols in the kernel's code.
// nvlink takes those of one name for one, which belongs to the first kernel, so that the slot of
// another kernel is never filled, and neither is one if a function or variable has its name; and it
// refuses one that has the name of another image or of anything that was read before it (Q131).
//
// Machine code that calls the driver for images needs more stack than the Mercury code it was made
// from. nvlink adds up the stack of all kernels again, but without calls through pointers, and not
// for kernels that call no function by its name, unless nothing in the program does. Kernels that
// were not selected are kernels to it there. And if one object of the link has samplers, it tells
// the driver so in all of them (Q145).
#include "link/emulate/images.h"

#include <algorithm>

namespace culink::emulate {

bool updates_image_base(const Program &program) {
  return program.policy.executable && !program.sass_plane &&
         program.arch.code_kind == arch::CodeKind::Sass &&
         !program.dialect.has(Defect::StaleImageBase);
}

bool loses_slot(const Program &program, EntityId opaque) {
  const Entities &all = program.symbols.entities;
  return program.dialect.has(Defect::OpaqueByName) &&
         std::any_of(all.begin(), all.end(), [&](const Entity &other) {
           return !other.local && other.name == program.symbols[opaque].name;
         });
}

StackSizes add_up_stacks(const Program &program, const Reach &reach, std::span<const u32> frames,
                         StackSizes sound) {
  if (!program.dialect.has(Defect::StackOfMercury))
    return sound;
  const u32 count = static_cast<u32>(program.calls.functions.size());
  bool any_calls = false;
  std::vector<u64> stack(count);
  for (const u32 node : reach.callees_first()) {
    if (node >= count)
      continue; // a prototype
    u64 deepest = 0;
    for (const FunctionId callee : program.calls.calls[node])
      deepest = std::max(deepest, stack[callee.value]);
    stack[node] = frames[node] + deepest;
    any_calls = any_calls || !program.calls.calls[node].empty();
  }
  for (u32 f = 0; f < count; ++f)
    if (program.calls.calls[f].empty() && any_calls)
      sound[f] = std::nullopt;
    else if (sound[f])
      sound[f] = stack[f];
  return sound;
}

bool tells_all_of_samplers(const Dialect &dialect) {
  return dialect.has(Defect::StackOfMercury);
}

std::vector<FunctionId> unselected_listing_kernels(const Program &program) {
  std::vector<FunctionId> out;
  if (program.dialect.has(Defect::StackOfMercury))
    for (u32 f = 0; f < program.calls.functions.size(); ++f)
      if (program.live.demoted[f] && program.live.live[f])
        out.emplace_back(f);
  return out;
}

} // namespace culink::emulate
