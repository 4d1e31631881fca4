// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A hash table that finds the number of a name by the hash of the name. It does not have the names:
// its caller has them, by number, and says which one is the same as that which is looked up.
//
// The hash selects a line of the cache with eight slots, the home of the name. A name that finds
// its home full goes to other slots. At least half of all slots are free.
#pragma once

#include <algorithm>
#include <bit>
#include <optional>
#include <utility>
#include <vector>

#include "base/prefetch.h"
#include "base/types.h"
#include "base/uninitialized.h"

namespace culink {

class NameSlots {
public:
  // A slot is one word, so that threads can fill it at once: the hash and, above it, number + 1.
  static constexpr u64 kFree = 0;
  static u64 make_slot(u32 hash, u32 number) { return u64{number + 1} << 32 | hash; }
  static u32 hash_in(u64 slot) { return static_cast<u32>(slot); }
  static u32 number_in(u64 slot) { return static_cast<u32>(slot >> 32) - 1; }

  static constexpr u32 kLine = 8; // slots
  // A power of two of at least two lines, or none.
  using Slots = std::vector<u64, ZeroedAllocator<u64>>;

  NameSlots() = default;
  // Slots that somebody else has filled, at most `count` of them.
  NameSlots(Slots &&slots, u64 count) : slots_(std::move(slots)), count_(count) {}

  [[nodiscard]] const Slots &slots() const { return slots_; }
  [[nodiscard]] Slots take_slots() { return std::move(slots_); }

  // How many names there are, or a few more.
  [[nodiscard]] u64 size() const { return count_; }
  // Optional: makes room for that many names at once.
  void reserve(u64 count) {
    if (count * 2 > slots_.size())
      resize(std::bit_ceil(std::max<u64>(count * 2, 2 * kLine)));
  }

  // The number of the name of that hash for which is_same(number) is true; if there is none, it
  // gets `number`. And whether it is new.
  template <typename IsSame> std::pair<u32, bool> insert(u32 hash, u32 number, IsSame is_same) {
    if (is_full()) [[unlikely]]
      grow();
    u64 &slot = slots_[find_slot(hash, is_same)];
    if (slot != kFree)
      return {number_in(slot), false};
    slot = make_slot(hash, number);
    ++count_;
    return {number, true};
  }

  // The same for a name that is new because no other one of its hash is at home or in the line
  // beside, where it finds a slot; this is so of most new names. False: nothing is done.
  [[nodiscard]] bool insert_nearby(u32 hash, u32 number) {
    if (is_full()) [[unlikely]]
      return false;
    const u32 home = home_of(slots_, hash);
    for (u32 beside = 0; beside <= kLine; beside += kLine) {
      u64 *line = slots_.data() + (home ^ beside);
      u32 i = hash % kLine;
      do {
        if (line[i] == kFree) {
          line[i] = make_slot(hash, number);
          ++count_;
          return true;
        }
        if (hash_in(line[i]) == hash)
          return false;
        i = (i + 1) % kLine;
      } while (i != hash % kLine);
    }
    return false;
  }

  template <typename IsSame> [[nodiscard]] std::optional<u32> find(u32 hash, IsSame is_same) const {
    if (slots_.empty())
      return std::nullopt;
    const u64 slot = slots_[find_slot(hash, is_same)];
    return slot == kFree ? std::nullopt : std::optional<u32>(number_in(slot));
  }

  // Prefetches the home of a name.
  void expect(u32 hash) const {
    constexpr size_t kTooLarge = 65536; // for the cache that is next to a core
    if (slots_.size() < kTooLarge)
      return;
    const u64 home = home_of(slots_, hash);
    prefetch_line(&slots_[home]);
    prefetch_line(&slots_[home ^ kLine]);
  }

  // Calls is_it for the numbers of slots where a name of that hash may be, until it returns true,
  // as it must for a free slot.
  template <typename IsIt> static u32 walk(const Slots &slots, u32 hash, IsIt is_it) {
    const u32 home = home_of(slots, hash);
    for (u32 i = 0; i < kLine; ++i)
      if (const u32 slot = home | ((hash + i) & (kLine - 1)); is_it(slot))
        return slot;
    return walk_on(slots, hash, is_it);
  }
  // The same for slots beyond the home line.
  template <typename IsIt> static u32 walk_on(const Slots &slots, u32 hash, IsIt is_it) {
    const u32 mask = static_cast<u32>(slots.size()) - 1;
    const u32 home = home_of(slots, hash);
    for (u32 i = 0; i < kLine; ++i) // the line beside, which the processor fetches, too
      if (const u32 slot = (home ^ kLine) | ((hash + i) & (kLine - 1)); is_it(slot))
        return slot;
    const u32 other = static_cast<u32>((hash * u64{0x9e3779b97f4a7c15}) >> 32);
    for (u32 i = other & mask;; i = (i + 1) & mask)
      if (is_it(i))
        return i;
  }

  // Of the first slot of the home line.
  static u32 home_of(const Slots &slots, u32 hash) {
    return hash & (static_cast<u32>(slots.size()) - 1) & ~(kLine - 1);
  }

private:
  [[nodiscard]] bool is_full() const { return (count_ + 1) * 2 > slots_.size(); }
  [[gnu::noinline]] void grow() { resize(slots_.empty() ? 2 * kLine : slots_.size() * 2); }
  void resize(u64 count) {
    Slots old(count); // all kFree
    old.swap(slots_);
    for (const u64 entry : old)
      if (entry != kFree)
        slots_[walk(slots_, hash_in(entry), [this](u32 i) { return slots_[i] == kFree; })] = entry;
  }

  // The first slot at home that is free or has that hash, or kNone.
  static constexpr u32 kNone = 0xffffffff;
  [[nodiscard]] u32 find_at_home(u32 hash) const {
    const u32 home = home_of(slots_, hash);
    const u64 *line = slots_.data() + home;
    u32 i = hash % kLine;
    do {
      if (line[i] == kFree || hash_in(line[i]) == hash)
        return home + i;
      i = (i + 1) % kLine;
    } while (i != hash % kLine);
    return kNone;
  }
  // The slot of a name, or the free one where it belongs.
  template <typename IsSame> u32 find_slot(u32 hash, IsSame is_same) const {
    const u32 slot = find_at_home(hash);
    return slot != kNone && (slots_[slot] == kFree || is_same(number_in(slots_[slot])))
               ? slot
               : find_other_slot(hash, slot == kNone, is_same);
  }
  // The same where it is not the first that is free or has that hash.
  template <typename IsSame>
  [[gnu::noinline]] u32 find_other_slot(u32 hash, bool beyond_home, const IsSame &is_same) const {
    const auto is_it = [&](u32 i) {
      return slots_[i] == kFree || (hash_in(slots_[i]) == hash && is_same(number_in(slots_[i])));
    };
    return beyond_home ? walk_on(slots_, hash, is_it) : walk(slots_, hash, is_it);
  }

  Slots slots_;
  u64 count_ = 0; // of those that are not free, or a few more
};

} // namespace culink
