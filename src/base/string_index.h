// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Strings to dense numbers in order of first appearance. Lookups are hashed, iteration is by
// number, so that no order in any output depends on a hash. The index refers to the caller's
// strings.
//
// It is not a std::unordered_map because a large link looks up a few hundred thousand names, and
// nearly every lookup would miss the cache. But names come in families, .text.f, .nv.info.f,
// .rela.text.f, that are looked up at about the same time: a family shares one cache line of eight
// slots, its home, which can be prefetched. A name that finds its home full goes to other slots.
#pragma once

#include <algorithm>
#include <bit>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/prefetch.h"
#include "base/types.h"
#include "base/uninitialized.h"

namespace culink {

class WorkerPool;

class StringIndex {
public:
  // What join() returns.
  struct Joined;

  // Optional: makes room for that many strings at once.
  void reserve(u32 count) {
    strings_.reserve(count);
    if (u64{count} * 2 > slots_.size())
      resize_slots(std::bit_ceil(std::max<u64>(count * u64{2}, kLine)));
  }

  // The number of `s`, and whether it is new.
  std::pair<u32, bool> insert(std::string_view s) { return insert(s, hash_of(s)); }
  std::pair<u32, bool> insert(std::string_view s, u32 hash) {
    if ((strings_.size() + 1) * 2 > slots_.size())
      resize_slots(slots_.empty() ? 16 : slots_.size() * 2);
    u64 &slot = slots_[find_slot(s, hash)];
    if (slot != kFree)
      return {number_in(slot), false};
    slot = make_slot(hash, static_cast<u32>(strings_.size()));
    starts_with_dots_ = starts_with_dots_ && s.starts_with('.');
    strings_.emplace_back(s.data(), s.size()); // from registers: see store_fields
    return {static_cast<u32>(strings_.size() - 1), true};
  }

  [[nodiscard]] std::optional<u32> find(std::string_view s) const { return find(s, hash_of(s)); }
  [[nodiscard]] std::optional<u32> find(std::string_view s, u32 hash) const {
    if (slots_.empty())
      return std::nullopt;
    const u64 slot = slots_[find_slot(s, hash)];
    return slot == kFree ? std::nullopt : std::optional<u32>(number_in(slot));
  }

  // One index of the strings of several. It may take over what the first one has, which is empty
  // then; the others stay as they are.
  [[nodiscard]] static Joined join(std::span<StringIndex *const> parts, WorkerPool &pool);

  // Prefetches the home of a name and of the names that end in it.
  void expect(std::string_view family) const { expect(family_of(family)); }
  // The same for the hash of a string.
  void expect(u32 hash) const {
    constexpr size_t kTooLarge = 65536; // for the cache that is next to a core
    if (slots_.size() < kTooLarge)
      return;
    const u64 home = hash & (slots_.size() - 1) & ~u64{kLine - 1};
    prefetch_line(&slots_[home]);
    prefetch_line(&slots_[home ^ kLine]);
  }

  // A quick test that is never wrongly false: names of sections begin with a dot, others do not.
  [[nodiscard]] bool may_contain(std::string_view s) const {
    return !starts_with_dots_ || s.starts_with('.');
  }

  // Frees what only find() needs, which finds nothing any more. Strings keep their numbers; none
  // may be inserted.
  void stop_finding() { slots_ = Slots(); }

  [[nodiscard]] u32 size() const { return static_cast<u32>(strings_.size()); }
  // Precondition: number < size().
  [[nodiscard]] std::string_view operator[](u32 number) const { return strings_[number]; }

  // The hash of a string, for callers that need it more than once.
  [[nodiscard]] static u32 hash_of(std::string_view s);
  // The hash of what names of a family end in, and that of a name which ends in a dot and `ending`.
  [[nodiscard]] static u32 family_of(std::string_view name);
  [[nodiscard]] static u32 hash_of(std::string_view name, std::string_view ending, u32 family) {
    return hash_of_member(name.substr(0, name.size() - ending.size() - 1), family);
  }

private:
  // A slot is one word, so that threads can fill it at once: the hash and, above it, number + 1.
  static constexpr u64 kFree = 0;
  static u64 make_slot(u32 hash, u32 number) { return u64{number + 1} << 32 | hash; }
  static u32 hash_in(u64 slot) { return static_cast<u32>(slot); }
  static u32 number_in(u64 slot) { return static_cast<u32>(slot >> 32) - 1; }

  static constexpr u32 kLine = 8; // slots
  // The bits of a hash that select the home. The others distinguish members of a family.
  static constexpr u32 kFamilyBits = 0x00fffff8;

  static u32 hash_of_member(std::string_view prefix, u32 family);

  // Calls is_it for the numbers of slots where a string of that hash may be, until it returns true,
  // as it must for a free slot. At least half of the slots are free.
  template <typename IsIt> u32 walk(u32 hash, IsIt is_it) const {
    const u32 mask = static_cast<u32>(slots_.size()) - 1;
    const u32 home = hash & mask & ~(kLine - 1);
    for (u32 i = 0; i < kLine; ++i)
      if (const u32 slot = home | ((hash + i) & (kLine - 1)); is_it(slot))
        return slot;
    return walk_on(hash, is_it);
  }
  // The same for slots beyond the home line.
  template <typename IsIt> u32 walk_on(u32 hash, IsIt is_it) const {
    const u32 mask = static_cast<u32>(slots_.size()) - 1;
    const u32 home = hash & mask & ~(kLine - 1);
    for (u32 i = 0; i < kLine && i < slots_.size() - kLine;
         ++i) // the neighbouring line, which the processor fetches, too
      if (const u32 slot = (home ^ kLine) | ((hash + i) & (kLine - 1)); is_it(slot))
        return slot;
    const u32 other = static_cast<u32>((hash * u64{0x9e3779b97f4a7c15}) >> 32);
    for (u32 i = other & mask;; i = (i + 1) & mask)
      if (is_it(i))
        return i;
  }

  // The slot that holds `s`, or the free one where it belongs. Mostly it is the first.
  u32 find_slot(std::string_view s, u32 hash) const {
    const u32 first = hash & (static_cast<u32>(slots_.size()) - 1);
    const u64 slot = slots_[first];
    return may_hold(slot, s, hash) ? first : find_other_slot(s, hash);
  }
  // The same where it is not the first.
  [[nodiscard]] u32 find_other_slot(std::string_view s, u32 hash) const;
  [[nodiscard]] u32 find_at_home(std::string_view s, u32 hash) const;
  [[nodiscard]] u32 find_elsewhere(std::string_view s, u32 hash) const;
  [[nodiscard]] bool may_hold(u64 slot, std::string_view s, u32 hash) const {
    return slot == kFree || (hash_in(slot) == hash && strings_[number_in(slot)] == s);
  }

  void resize_slots(u64 count) {
    Slots old;
    old.resize(count); // all kFree
    old.swap(slots_);
    for (const u64 entry : old)
      if (entry != kFree)
        slots_[walk(hash_in(entry), [this](u32 i) { return slots_[i] == kFree; })] = entry;
  }

  class Joiner;
  using Slots = std::vector<u64, ZeroedAllocator<u64>>;
  Slots slots_; // a power of two of at least kLine, or none yet
  std::vector<std::string_view, UninitializedAllocator<std::string_view>> strings_;
  bool starts_with_dots_ = true; // every string does
};

// A string keeps the number that it had in its part, plus the sizes of the parts before. Of equal
// strings the first one is found; the numbers of others lead to the same text.
struct StringIndex::Joined {
  struct Known {
    u32 own = 0; // number in its part
    u32 number = 0;
  };
  StringIndex index;
  std::vector<u32> starts;               // by part: of its numbers; and the end
  std::vector<std::vector<Known>> known; // by part, ascending: strings of earlier parts
};

} // namespace culink
