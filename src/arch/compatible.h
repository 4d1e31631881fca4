// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <span>

#include "arch/arch.h"

namespace culink::arch {

// Code of kind `kind` in an object for `object` may be linked into an image for `target` by the
// rules of a toolkit, times ten.
[[nodiscard]] bool can_link(const ArchInfo &object, CodeKind kind, const ArchInfo &target,
                            u32 toolkit);

// The same for an object whose kind is the usual one of its target.
[[nodiscard]] bool can_link(const ArchInfo &object, const ArchInfo &target, u32 toolkit);

// The variants of two numbers that can be linked together.
enum class Letters : u8 {
  None,         // no variant at all
  Any,          // every variant into every variant
  NotA,         // every variant but the object's `a`
  NotAIntoF,    // every variant but `a` into `f`
  NotANorIntoF, // neither `a` into any, nor any into `f`
  AIntoA,       // every variant but `a` into others than `a`
};

// One pair of numbers of which some variants are accepted.
struct CompatibleRow {
  u16 target;
  u16 object;
  Letters sass;    // for plain SASS
  Letters capmerc; // for code with a Mercury capsule
  u16 since = 0;   // the first toolkit that links them, times ten
};
[[nodiscard]] std::span<const CompatibleRow> compatible_rows();

} // namespace culink::arch
