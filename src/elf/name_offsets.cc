// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Offsets in string tables, by all threads. A name's offset is the sum of the sizes of all
// different names that were used before it, so three things are found one after the other, each for
// ranges of positions: which position uses a name first, how many bytes the names of a range take,
// and, when the sum of the ranges before is known, the offsets. One thread alone meets names in
// order, and knows the offset of each when it meets it first.
//
// Most names of a large link are those of sections, which have numbers; the first use of a number
// is the smallest position that a thread has seen. The others are looked up by hash in tables of
// their own, each of which has a part of the hashes and is filled by one thread in order of
// positions. So the result does not depend on how many threads or tables there are.
#include "elf/name_offsets.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <numeric>
#include <optional>
#include <span>

#include "base/name_map.h"
#include "base/prefetch.h"

namespace culink::elf {

namespace {

constexpr u64 kWorthSharding = 16384; // names
constexpr u32 kShardShift = 26;

u32 short_hash(std::string_view text) {
  const u64 wide = NameHash()(text);
  return static_cast<u32>(wide >> 32 ^ wide);
}

constexpr u32 shard_of(u32 hash) {
  return hash >> kShardShift;
}

} // namespace

NameOffsets::NameOffsets(const StringIndex *numbered, u32 count, TextAt text_at, WorkerPool &pool)
    : numbered_(numbered), text_at_(std::move(text_at)), pool_(pool), alone_(pool.threads() == 1),
      first_of_(make_table((numbered ? numbered->size() : 0) + u64{1}, u32{kNone}, pool)),
      hashed_(alone_ ? 0 : count / kTogether + 1), has_repeated_(hashed_.size()),
      owners_(alone_ ? 0 : count) {
  names_.offsets.resize(count);
}

// Where the offset of a name is or will be that is not known by its number.
u32 &NameOffsets::find_offset(std::string_view text, Sharing sharing, u32 position) {
  switch (sharing) {
  case Sharing::Separately:
    return other_offset_ = kNone;
  case Sharing::None:
    return other_offset_ = 0;
  case Sharing::Blank:
    return first_of_.back();
  case Sharing::Equal:
    break;
  }
  if (text.empty())
    return other_offset_ = 0;
  if (numbered_ && numbered_->may_contain(text))
    if (const std::optional<u32> number = numbered_->find(text))
      return first_of_[*number];
  return find_offset_of_text(text, position);
}

u32 &NameOffsets::find_offset_of_text(std::string_view text, u32 position) {
  const auto [first, is_new] =
      slots_.insert(short_hash(text), position, [&](u32 other) { return text_at_(other) == text; });
  if (is_new)
    names_.offsets[position] = kNone;
  return names_.offsets[first];
}

// At first without a lock, which takes longer than all the rest: if two threads store theirs at the
// same time, the higher position may stay, until correct_firsts() asks each.
u32 NameOffsets::note_first(u32 number, u32 position) {
  std::atomic_ref<u32> first(first_of_[number]);
  if (position < first.load(std::memory_order_relaxed))
    first.store(position, std::memory_order_relaxed);
  return kIsNumber | number;
}

void NameOffsets::correct_firsts(u32 begin, u32 end) {
  for (u32 position = begin; position < end; ++position) {
    const u32 owner = owners_[position];
    if (owner == kNone || (owner & kIsNumber) == 0)
      continue;
    std::atomic_ref<u32> first(first_of_[owner & ~kIsNumber]);
    u32 known = first.load(std::memory_order_relaxed);
    while (position < known &&
           !first.compare_exchange_weak(known, position, std::memory_order_relaxed)) {
    }
  }
}

// A name that is not one of those with numbers, or not known to be.
u32 NameOffsets::take(std::string_view text, Sharing sharing, u32 position,
                      std::vector<Hashed> &hashed) {
  switch (sharing) {
  case Sharing::Separately:
    return position;
  case Sharing::None:
    return kNone;
  case Sharing::Blank:
    names_.offsets[position] = 0; // its size
    return note_first(static_cast<u32>(first_of_.size()) - 1, position);
  case Sharing::Equal:
    break;
  }
  if (text.empty())
    return kNone;
  if (numbered_ && numbered_->may_contain(text))
    if (const std::optional<u32> number = numbered_->find(text))
      return note_first(*number, position);
  prefetch_line(text.data());
  hashed.push_back({0, position});
  return position;
}

void NameOffsets::hash(HashedNames &hashed) const {
  for (Hashed &name : hashed.names)
    name.hash = short_hash(text_at_(name.position));
  // Names of one shard follow each other, still in order of positions.
  hashed.starts.fill(0);
  for (const Hashed &name : hashed.names)
    ++hashed.starts[shard_of(name.hash) + 1];
  std::partial_sum(hashed.starts.begin(), hashed.starts.end(), hashed.starts.begin());
  std::array<u32, kShards + 1> next = hashed.starts;
  std::vector<Hashed> by_shard(hashed.names.size());
  for (const Hashed &name : hashed.names)
    by_shard[next[shard_of(name.hash)]++] = name;
  hashed.names = std::move(by_shard);
}

// Names that are without a number.
void NameOffsets::find_equal() {
  u64 all = 0;
  for (const HashedNames &hashed : hashed_)
    all += hashed.names.size();
  if (all < kWorthSharding)
    return find_equal_in(std::nullopt);
  pool_.for_each(kShards, [&](u32 shard) { find_equal_in(shard); });
}

// In one shard, or in all.
void NameOffsets::find_equal_in(std::optional<u32> shard) {
  const auto names_of = [shard](const HashedNames &range) {
    return shard ? range.of_shard(*shard) : std::span(range.names);
  };
  u64 count = 0;
  for (const HashedNames &range : hashed_)
    count += names_of(range).size();
  const u64 slots = std::bit_ceil(count * 2 + 1);
  std::vector<Hashed> table(slots, {0, kNone});
  const auto find = [&](const Hashed &name) -> Hashed & {
    for (u64 slot = name.hash & (slots - 1);; slot = (slot + 1) & (slots - 1)) {
      Hashed &found = table[slot];
      if (found.position == kNone)
        return found;
      if (found.hash == name.hash && text_at_(found.position) == text_at_(name.position))
        return found;
    }
  };
  for (const HashedNames &range : hashed_) {
    const std::span<const Hashed> hashed = names_of(range);
    for (u64 i = 0; i < hashed.size(); ++i) {
      if (i + kStepsAhead < hashed.size())
        prefetch_line(&table[hashed[i + kStepsAhead].hash & (slots - 1)]);
      Hashed &found = find(hashed[i]);
      if (found.position == kNone)
        found = hashed[i];
      else
        owners_[hashed[i].position] = found.position;
    }
  }
}

// How many bytes the names take that are first used in a range.
void NameOffsets::measure(u32 begin, u32 end) {
  u32 *owners = owners_.data();
  const u32 *sizes = names_.offsets.data();
  const u32 *first_of = first_of_.data();
  u64 size = 0;
  bool repeated = false;
  for (u32 i = begin; i < end; ++i) {
    u32 owner = owners[i];
    if (owner == kNone)
      continue;
    if ((owner & kIsNumber) != 0)
      owners[i] = owner = first_of[owner & ~kIsNumber];
    size += owner == i ? u64{sizes[i]} + 1 : 0;
    repeated |= owner != i;
  }
  names_.range_starts[begin / kTogether] = size;
  has_repeated_[begin / kTogether] = repeated;
}

PlacedNames NameOffsets::place() {
  const u64 ranges = names_.offsets.size() / kTogether + 1;
  if (alone_) {
    names_.range_starts.resize(ranges, names_.size);
    return std::move(names_);
  }
  find_equal();
  names_.range_starts.assign(ranges, 0);
  place_all();
  return std::move(names_);
}

void NameOffsets::place_all() {
  const u32 count = static_cast<u32>(owners_.size());
  pool_.for_ranges(count, kTogether, [this](u32 begin, u32 end) { correct_firsts(begin, end); });
  pool_.for_ranges(count, kTogether, [this](u32 begin, u32 end) { measure(begin, end); });
  for (u64 &start : names_.range_starts)
    names_.size += std::exchange(start, names_.size);

  u32 *out = names_.offsets.data(); // sizes at first
  const u32 *owners = owners_.data();
  pool_.for_ranges(count, kTogether, [&](u32 begin, u32 end) {
    u64 offset = names_.range_starts[begin / kTogether];
    for (u32 i = begin; i < end; ++i) {
      const bool here = owners[i] == i;
      const u64 size = here ? u64{out[i]} + 1 : 0;
      out[i] = here ? static_cast<u32>(offset) : 0;
      offset += size;
    }
  });
  if (std::ranges::find(has_repeated_, 1) == has_repeated_.end())
    return;
  pool_.for_ranges(count, kTogether, [&](u32 begin, u32 end) {
    for (u32 i = begin; i < end; ++i)
      if (const u32 owner = owners[i]; owner != i && owner != kNone)
        out[i] = out[owner];
  });
}

} // namespace culink::elf
