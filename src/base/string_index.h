// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Strings to dense numbers in order of first appearance. Lookups are hashed, iteration is by
// number, so no order in any output depends on a hash. The index borrows the strings.
#pragma once

#include <bit>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/types.h"

namespace culink {

class StringIndex {
public:
  // Optional: makes room for that many strings at once.
  void reserve(u32 count) {
    strings_.reserve(count);
    if (u64{count} * 2 > slots_.size())
      resize_slots(std::bit_ceil(u64{count} * 2));
  }

  // The number of `s`, and whether it is new.
  std::pair<u32, bool> insert(std::string_view s) {
    if ((strings_.size() + 1) * 2 > slots_.size())
      resize_slots(slots_.empty() ? 16 : slots_.size() * 2);
    const u32 hash = hash_of(s);
    u32 slot = find_slot(s, hash);
    if (slots_[slot].number != kEmpty)
      return {slots_[slot].number, false};
    slots_[slot] = {hash, static_cast<u32>(strings_.size())};
    starts_with_dots_ = starts_with_dots_ && s.starts_with('.');
    strings_.push_back(s);
    return {slots_[slot].number, true};
  }

  [[nodiscard]] std::optional<u32> find(std::string_view s) const {
    if (slots_.empty())
      return std::nullopt;
    const Slot &slot = slots_[find_slot(s, hash_of(s))];
    return slot.number == kEmpty ? std::nullopt : std::optional<u32>(slot.number);
  }

  // False if that can be said at once: names of sections have a dot in front, others have not.
  [[nodiscard]] bool may_contain(std::string_view s) const {
    return !starts_with_dots_ || s.starts_with('.');
  }

  [[nodiscard]] u32 size() const { return static_cast<u32>(strings_.size()); }
  // Precondition: number < size().
  [[nodiscard]] std::string_view operator[](u32 number) const { return strings_[number]; }

private:
  static constexpr u32 kEmpty = 0xffffffff;
  struct Slot {
    u32 hash = 0;
    u32 number = kEmpty;
  };

  // Eight bytes at a time; names are some thirty bytes long, and there are half a million of them.
  static u32 hash_of(std::string_view s) {
    constexpr u64 kMix = 0x9e3779b97f4a7c15;
    u64 hash = s.size() * kMix;
    const auto mix = [&hash](u64 word) {
      hash = (hash ^ word) * kMix;
      hash ^= hash >> 32;
    };
    const u8 *p = reinterpret_cast<const u8 *>(s.data());
    size_t left = s.size();
    for (; left >= 8; p += 8, left -= 8)
      mix(load_le<u64>(p));
    u64 rest = 0;
    for (size_t i = 0; i < left; ++i)
      rest |= u64{p[i]} << (8 * i);
    mix(rest);
    return static_cast<u32>(hash);
  }

  // The slot that holds `s`, or the free one where it belongs. At least half of all slots are free.
  u32 find_slot(std::string_view s, u32 hash) const {
    const u32 mask = static_cast<u32>(slots_.size()) - 1;
    for (u32 i = hash & mask;; i = (i + 1) & mask) {
      const Slot &slot = slots_[i];
      if (slot.number == kEmpty || (slot.hash == hash && strings_[slot.number] == s))
        return i;
    }
  }

  void resize_slots(u64 count) {
    std::vector<Slot> old(count);
    old.swap(slots_);
    const u32 mask = static_cast<u32>(slots_.size()) - 1;
    for (const Slot &entry : old) {
      if (entry.number == kEmpty)
        continue;
      u32 i = entry.hash & mask;
      while (slots_[i].number != kEmpty)
        i = (i + 1) & mask;
      slots_[i] = entry;
    }
  }

  std::vector<Slot> slots_; // a power of two, or none yet
  std::vector<std::string_view> strings_;
  bool starts_with_dots_ = true; // every string does
};

} // namespace culink
