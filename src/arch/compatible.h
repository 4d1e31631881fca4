// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <span>

#include "arch/arch.h"

namespace culink::arch {

// Code of `object` kind `kind` may be linked into an image for `target`.
[[nodiscard]] bool can_link(const ArchInfo &object, CodeKind kind, const ArchInfo &target);

// The same for an object whose kind is the usual one of its target.
[[nodiscard]] bool can_link(const ArchInfo &object, const ArchInfo &target);

// One accepted pair of numbers. The letter of the target never matters.
struct CompatibleRow {
  u16 target;
  u16 object;
  bool across_family; // not for objects of an `a` variant, and only with a finalizer: capmerc kind
};
[[nodiscard]] std::span<const CompatibleRow> compatible_rows();

} // namespace culink::arch
