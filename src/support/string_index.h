// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "support/types.h"

namespace culink {

// An arena for generated strings. They stay at their addresses, even when the storage is moved, and
// are freed together.
class NameStorage {
public:
  [[nodiscard]] char *allocate(size_t size) {
    if (size > left_) [[unlikely]]
      add_block(size);
    left_ -= size;
    return std::exchange(next_, next_ + size);
  }
  [[nodiscard]] std::string_view keep(std::string_view text) { return keep(text, {}); }
  // The concatenation of two strings.
  [[nodiscard]] std::string_view keep(std::string_view prefix, std::string_view text) {
    const size_t size = prefix.size() + text.size();
    char *out = allocate(size);
    prefix.copy(out, prefix.size());
    text.copy(out + prefix.size(), text.size());
    return {out, size};
  }

private:
  static constexpr size_t kBlock = 1 << 16;
  [[gnu::noinline]] void add_block(size_t size) {
    left_ = std::max(size, kBlock);
    next_ = blocks_.emplace_back(std::make_unique_for_overwrite<char[]>(left_)).get();
  }
  std::vector<std::unique_ptr<char[]>> blocks_;
  char *next_ = nullptr;
  size_t left_ = 0;
};

// A hash table from names to ids, with open addressing and linear probing. The caller owns the
// names and compares them: is_same(id) is true for the id of the looked up name. At least half of
// the slots are free.
class NameSlots {
public:
  [[nodiscard]] u32 size() const { return count_; }

  void reserve(u64 count) {
    if (count * 2 > slots_.size())
      resize(std::bit_ceil(std::max<u64>(count * 2, kMinSlots)));
  }

  // Returns the id of the name, which is `id` for a new name, and whether the name is new.
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

  // Returns the slot of a name, or the free slot where it would be inserted.
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

  std::vector<Slot> slots_; // the size is a power of two, or 0
  u32 count_ = 0;
};

// Names with equal hashes cannot be constructed, because the hash depends on a secret of the
// process.
struct NameHash {
  using is_transparent = void;
  size_t operator()(std::string_view name) const;
};

// Maps by name for rare lookups; StringIndex is for frequent ones. The iteration order differs from
// process to process, so an output must not depend on it.
template <class T> using NameMap = std::unordered_map<std::string_view, T, NameHash>;
using NameSet = std::unordered_set<std::string_view, NameHash>;
// Variants that own their keys.
template <class T>
using OwnedNameMap = std::unordered_map<std::string, T, NameHash, std::equal_to<>>;
using OwnedNameSet = std::unordered_set<std::string, NameHash, std::equal_to<>>;

// Interns strings as dense ids in order of first appearance. Lookups are hashed and iteration is by
// id, so outputs do not depend on hashes. The index refers to the caller's strings.
class StringIndex {
public:
  void reserve(u32 count) {
    strings_.reserve(count);
    slots_.reserve(count);
  }

  // The id of `s`, and whether it is new.
  std::pair<u32, bool> insert(std::string_view s) {
    const auto found = slots_.insert(hash_of(s), size(), [&](u32 id) { return strings_[id] == s; });
    if (found.second)
      strings_.push_back(s);
    return found;
  }
  [[nodiscard]] std::optional<u32> find(std::string_view s) const {
    return slots_.find(hash_of(s), [&](u32 id) { return strings_[id] == s; });
  }

  // Frees the memory that only find() needs. Strings keep their ids; no string may be inserted
  // later.
  void stop_finding() { slots_ = NameSlots(); }

  [[nodiscard]] u32 size() const { return static_cast<u32>(strings_.size()); }
  // Precondition: id < size().
  [[nodiscard]] std::string_view operator[](u32 id) const { return strings_[id]; }

  [[nodiscard]] static u32 hash_of(std::string_view s) {
    const u64 wide = NameHash()(s);
    return static_cast<u32>(wide >> 32 ^ wide);
  }

private:
  NameSlots slots_;
  std::vector<std::string_view> strings_;
};

} // namespace culink
