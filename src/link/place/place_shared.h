// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "link/resolve/program.h"
#include "link/resolve/reach.h"
#include "model/diagnostics.h"
#include "model/layout.h"

namespace culink {

// What dynamic shared memory is aligned to.
inline constexpr u64 kDynamicAlign = 16;

// Where shared variables lie, once their users are known. Offsets count from the start of a
// kernel's shared memory, without the area that the system reserves.
struct SharedPlan {
  static constexpr i64 kNowhere = -1;

  std::vector<i64> offset;      // by EntityId of a shared variable
  std::vector<bool> is_dynamic; // by EntityId: extern __shared__ x[]
  std::vector<bool> deleted;    // by EntityId: no symbol is left of it
  std::vector<i64> dynamic_end; // by FunctionId: where dynamic memory starts in its code
  // -g gives dynamic memory one value for all users; then `offset` of the variable has it.
  bool one_dynamic_value = false;
  bool has_slots = false;       // .nv_debug.shared holds variables of several kernels
  std::vector<u32> instance_of; // by FunctionId: in Layout::instances, kNoIndex: none

  [[nodiscard]] bool dynamic(EntityId id) const { return is_dynamic[id.value]; }
};

struct PlacedShared {
  Layout layout;
  SharedPlan shared;
};

// Places every shared variable, sizes the shared sections, and creates those that are missing.
[[nodiscard]] PlacedShared place_shared(const Program &program, const Reach &reach, Layout layout,
                                        Diagnostics &diag);

} // namespace culink
