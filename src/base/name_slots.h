// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <bit>
#include <optional>
#include <utility>
#include <vector>

#include "base/types.h"

namespace culink {

// A hash table from names to ids, with open addressing and linear probing. The caller owns the
// names and compares them: is_same(id) is true for the id of the name that is looked up. At least
// half of the slots are free.
class NameSlots {
public:
  [[nodiscard]] u32 size() const { return count_; }

  void reserve(u64 count) {
    if (count * 2 > slots_.size())
      resize(std::bit_ceil(std::max<u64>(count * 2, kMinSlots)));
  }

  // Returns the id of the name; a new name gets `id`. The second value: whether the name is new.
  template <typename IsSame> std::pair<u32, bool> insert(u32 hash, u32 id, const IsSame &is_same) {
    reserve(u64{count_} + 1);
    Slot &slot = slots_[find_slot(hash, is_same)];
    if (!slot.is_free())
      return {slot.id, false};
    slot = {hash, id};
    ++count_;
    return {id, true};
  }

  template <typename IsSame>
  [[nodiscard]] std::optional<u32> find(u32 hash, const IsSame &is_same) const {
    if (slots_.empty())
      return std::nullopt;
    const Slot &slot = slots_[find_slot(hash, is_same)];
    return slot.is_free() ? std::nullopt : std::optional(slot.id);
  }

private:
  static constexpr u64 kMinSlots = 16;

  struct Slot {
    static constexpr u32 kFree = 0xffffffff;
    u32 hash = 0;
    u32 id = kFree;
    [[nodiscard]] bool is_free() const { return id == kFree; }
  };

  // The slot of a name, or the free one where it belongs.
  template <typename IsSame> [[nodiscard]] u64 find_slot(u32 hash, const IsSame &is_same) const {
    const u64 mask = slots_.size() - 1;
    u64 i = hash & mask;
    while (!slots_[i].is_free() && (slots_[i].hash != hash || !is_same(slots_[i].id)))
      i = (i + 1) & mask;
    return i;
  }

  void resize(u64 count) {
    std::vector<Slot> old(count);
    old.swap(slots_);
    for (const Slot &slot : old)
      if (!slot.is_free())
        slots_[find_slot(slot.hash, [](u32) { return false; })] = slot;
  }

  std::vector<Slot> slots_; // a power of two, or none
  u32 count_ = 0;
};

} // namespace culink
