// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <vector>

#include "link/model/layout.h"
#include "link/resolve/program.h"
#include "link/resolve/reach.h"

namespace culink {

// A relocation that the linker makes itself: an image's index goes to its slot.
struct SlotRelocation {
  u64 offset = 0;
  u32 type = 0;
  EntityId image;
};

struct SlotTable {
  OutId table;
  std::vector<SlotRelocation> entries;
};

struct ImagePlan {
  u64 slot_base = 0;             // where slots begin in bank 0
  std::vector<u64> slots;        // by EntityId, or empty: see slot_of
  std::vector<SlotTable> tables; // one per kernel that reaches an image

  static constexpr u64 kNoSlot = ~u64{0};
  // The offset of an image in bank 0; kNoSlot: it is not one.
  [[nodiscard]] u64 slot_of(EntityId id) const { return slots.empty() ? kNoSlot : slots[id.value]; }
};

struct PlacedImages {
  Layout layout;
  ImagePlan images;
};

// Gives every texture, sampler and surface reference a slot in bank 0.
[[nodiscard]] PlacedImages place_images(const Program &program, const Reach &reach, Layout layout);

} // namespace culink
