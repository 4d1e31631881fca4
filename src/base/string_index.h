// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Strings to dense numbers in order of first appearance. Lookups are hashed, iteration is by
// number, so that no order in any output depends on a hash. The index refers to the caller's
// strings.
//
// It is not a std::unordered_map because a large link looks up a few hundred thousand names, and
// nearly every lookup would miss the cache. But names come in families, .text.f, .nv.info.f,
// .rela.text.f, that are looked up at about the same time: a family shares one line of the cache,
// its home, which can be prefetched (name_slots.h).
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "base/name_slots.h"
#include "base/raw_table.h"
#include "base/types.h"

namespace culink {

class WorkerPool;

class StringIndex {
public:
  // What join() returns.
  struct Joined;

  // Optional: makes room for that many strings at once.
  void reserve(u32 count) {
    strings_.reserve(count);
    slots_.reserve(count);
  }

  // The number of `s`, and whether it is new.
  std::pair<u32, bool> insert(std::string_view s) { return insert(s, hash_of(s)); }
  std::pair<u32, bool> insert(std::string_view s, u32 hash) {
    const auto found =
        slots_.insert(hash, size(), [&](u32 number) { return strings_[number] == s; });
    if (found.second)
      append(s, strings_.add());
    return found;
  }
  // The same for a string that is new, and for which there is room where it is looked for first:
  // most new ones. It gets the number size(). False: nothing is done.
  [[nodiscard]] bool insert_quickly(std::string_view s, u32 hash) {
    if (strings_.size() == strings_.capacity() || !slots_.insert_nearby(hash, size()))
      return false;
    append(s, strings_.add_in_room());
    return true;
  }

  [[nodiscard]] std::optional<u32> find(std::string_view s) const { return find(s, hash_of(s)); }
  [[nodiscard]] std::optional<u32> find(std::string_view s, u32 hash) const {
    return slots_.find(hash, [&](u32 number) { return strings_[number] == s; });
  }

  // One index of the strings of several. It may take over what the first one has, which is empty
  // then; the others stay as they are.
  [[nodiscard]] static Joined join(std::span<StringIndex *const> parts, WorkerPool &pool);

  // Prefetches the home of a name and of the names that end in it.
  void expect(std::string_view family) const { expect(family_of(family)); }
  // The same for the hash of a string.
  void expect(u32 hash) const { slots_.expect(hash); }

  // A quick test that is never wrongly false: names of sections begin with a dot, others do not.
  [[nodiscard]] bool may_contain(std::string_view s) const {
    return !starts_with_dots_ || s.starts_with('.');
  }

  // Frees what only find() needs, which finds nothing any more. Strings keep their numbers; none
  // may be inserted.
  void stop_finding() { slots_ = NameSlots(); }

  [[nodiscard]] u32 size() const { return static_cast<u32>(strings_.size()); }
  // Precondition: number < size().
  [[nodiscard]] std::string_view operator[](u32 number) const { return strings_[number]; }

  // The hash of a string, for callers that need it more than once.
  [[nodiscard]] static u32 hash_of(std::string_view s);
  // The hash of what names of a family end in; of what is before the last dot of a name; and of a
  // name that consists of the two.
  [[nodiscard]] static u32 family_of(std::string_view name);
  [[nodiscard]] static u32 hash_of_prefix(std::string_view prefix);
  [[nodiscard]] static u32 join_hashes(u32 prefix, u32 family) {
    const u32 mixed = (prefix ^ family) * 0x9e3779b1;
    return (family & kFamilyBits) | ((mixed ^ mixed >> 15) & ~kFamilyBits);
  }
  // That of a name which ends in a dot and `ending`.
  [[nodiscard]] static u32 hash_of(std::string_view name, std::string_view ending, u32 family) {
    return join_hashes(hash_of_prefix(name.substr(0, name.size() - ending.size() - 1)), family);
  }

private:
  // The bits of a hash that select the home. The others distinguish members of a family.
  static constexpr u32 kFamilyBits = 0x00fffff8;

  // From registers: see store_fields.
  void append(std::string_view s, std::string_view &added) {
    starts_with_dots_ = starts_with_dots_ && s.starts_with('.');
    added = std::string_view(s.data(), s.size());
  }

  class Joiner;
  NameSlots slots_;
  RawTable<std::string_view> strings_;
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
