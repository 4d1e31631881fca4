// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shared memory: who uses which variable, and where each one is. The placing passes of executables
// and objects fill a SharedPlan; relocations and symbols read it.
#pragma once

#include <vector>

#include "model/layout.h"

namespace culink {

// What dynamic shared memory is aligned to.
inline constexpr u64 kDynamicAlign = 16;

// The size of a shared section in an object: that of its variables, but always more than the
// alignment (Q022).
[[nodiscard]] constexpr u64 size_in_object(u64 size, u64 align) {
  return size <= align ? size + align : size;
}

// Where shared variables lie, once their users are known. Offsets count from the start of a
// kernel's shared memory, without the area that the system reserves.
struct SharedPlan {
  static constexpr i64 kNowhere = -1;

  std::vector<i64> offset;      // by EntityId of a shared variable
  std::vector<bool> is_dynamic; // by EntityId: extern __shared__ x[]
  std::vector<bool> deleted;    // by EntityId: no symbol is left of it
  std::vector<i64> dynamic_end; // by FunctionId, or empty: see dynamic_end_of
  // -g gives dynamic memory one value for all users; then `offset` of the variable has it.
  bool one_dynamic_value = false;
  bool has_slots = false;     // .nv_debug.shared holds variables of several kernels
  std::vector<u32> instances; // by FunctionId, or empty: see instance_of

  SharedPlan() = default;
  explicit SharedPlan(u32 entities)
      : offset(entities, kNowhere), is_dynamic(entities), deleted(entities) {}

  [[nodiscard]] bool dynamic(EntityId id) const { return is_dynamic[id.value]; }
  // Where dynamic memory starts in the code of a function.
  [[nodiscard]] i64 dynamic_end_of(FunctionId id) const {
    return dynamic_end.empty() ? kNowhere : dynamic_end[id.value];
  }
  // The instance of dynamic memory of a function, in OutputSections::instances; kNoIndex: none.
  [[nodiscard]] u32 instance_of(FunctionId id) const {
    return instances.empty() ? kNoIndex : instances[id.value];
  }
};

struct PlacedShared {
  Layout layout;
  SharedPlan shared;
};

// Which code refers to which shared variable.
struct SharedUses {
  std::vector<std::vector<FunctionId>> users; // by EntityId: functions in the output, ascending
  // By EntityId: code refers to it, also code of discarded functions.
  std::vector<bool> referenced;
  // Functions that refer to dynamic memory, in the order of their code, and to which one first.
  std::vector<std::pair<FunctionId, EntityId>> first_dynamic;
};

// Kernels that reach one function or kernel with dynamic memory, in the order of these functions,
// and the alignment of what the function refers to first.
struct DynamicGroups {
  std::vector<std::vector<FunctionId>> kernels;
  std::vector<u64> aligns;
};

// The ends of kernels, raised to the largest of each group of kernels, until all groups agree.
[[nodiscard]] std::vector<u64> agree_on_largest(const std::vector<std::vector<FunctionId>> &groups,
                                                std::vector<u64> ends);

} // namespace culink
