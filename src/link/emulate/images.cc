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

} // namespace culink::emulate
