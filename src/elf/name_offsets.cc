// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Offsets in string tables, by all threads. A name's offset is the sum of the sizes of all
// different names that were used before it, so three things are found one after the other, each for
// ranges of positions: which position uses a name first, how many bytes the names of a range take,
// and, when the sum of the ranges before is known, the offsets.
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
#include <cstring>
#include <numeric>
#include <optional>
#include <span>

#include "base/name_map.h"
#include "base/prefetch.h"

namespace culink::elf {

namespace {

constexpr u32 kMostShards = 64;       // selected by the top bits of a hash
constexpr u64 kWorthSharding = 16384; // names
constexpr u32 kShardShift = 26;

constexpr u32 shard_of(u32 hash) {
  return hash >> kShardShift;
}

} // namespace

void PlacedNames::write(u32 range, u8 *table) const {
  const u64 begin = u64{range} * NameOffsets::kTogether;
  const u64 end = std::min<u64>(begin + NameOffsets::kTogether, entries.size());
  u8 *out = table + range_starts[range];
  for (u64 i = begin; i < end; ++i) {
    if (i + kStepsAhead < end)
      __builtin_prefetch(entries[i + kStepsAhead].text);
    const Entry &entry = entries[i];
    if (entry.owner != i)
      continue;
    if (entry.size != 0)
      std::memcpy(out, entry.text, entry.size);
    out += entry.size + 1;
  }
}

NameOffsets::NameOffsets(const StringIndex *numbered, u32 count, WorkerPool &pool)
    : numbered_(numbered), pool_(pool), alone_(pool.threads() == 1),
      first_of_((numbered ? numbered->size() : 0) + 1, kNone), hashed_(count / kTogether + 1),
      has_repeated_(hashed_.size()) {
  names_.entries.resize(count);
  touch_pages(names_.entries.data(), count * sizeof(PlacedNames::Entry), pool);
}

void NameOffsets::note_first(u32 number, u32 position) {
  std::atomic_ref<u32> first(first_of_[number]);
  u32 known = first.load(std::memory_order_relaxed);
  while (position < known &&
         !first.compare_exchange_weak(known, position, std::memory_order_relaxed)) {
  }
}

// A name that is not one of those with numbers, or not known to be.
void NameOffsets::take(const Name &name, PlacedNames::Entry &entry, std::vector<Hashed> &hashed) {
  switch (name.sharing) {
  case Sharing::Separately:
    return;
  case Sharing::None:
    entry.owner = kNone;
    return;
  case Sharing::Blank:
    entry.size = 0;
    return take_number(static_cast<u32>(first_of_.size()) - 1, entry);
  case Sharing::Equal:
    break;
  }
  if (name.text.empty()) {
    entry.owner = kNone;
    return;
  }
  if (numbered_ && numbered_->may_contain(name.text))
    if (const std::optional<u32> number = numbered_->find(name.text))
      return take_number(*number, entry);
  __builtin_prefetch(entry.text);
  hashed.push_back({0, entry.owner});
}

void NameOffsets::hash(std::vector<Hashed> &hashed) const {
  for (Hashed &name : hashed) {
    const PlacedNames::Entry &entry = names_.entries[name.position];
    const u64 wide = NameHash()({entry.text, entry.size});
    name.hash = static_cast<u32>(wide >> 32 ^ wide);
  }
  if (alone_)
    return;
  // Names of one shard follow each other, still in order of positions.
  std::array<u32, kMostShards + 1> next{};
  for (const Hashed &name : hashed)
    ++next[shard_of(name.hash) + 1];
  std::partial_sum(next.begin(), next.end(), next.begin());
  std::vector<Hashed> by_shard(hashed.size());
  for (const Hashed &name : hashed)
    by_shard[next[shard_of(name.hash)]++] = name;
  hashed = std::move(by_shard);
}

// Names that are without a number.
void NameOffsets::find_equal() {
  std::array<u64, kMostShards> counts{};
  u64 all = 0;
  for (const std::vector<Hashed> &hashed : hashed_)
    all += hashed.size();
  if (pool_.threads() == 1 || all < kWorthSharding)
    return find_equal_in(0, 1, all);
  for (const std::vector<Hashed> &hashed : hashed_)
    for (const Hashed &name : hashed)
      ++counts[shard_of(name.hash)];
  pool_.for_each(kMostShards, [&](u32 shard) { find_equal_in(shard, kMostShards, counts[shard]); });
}

void NameOffsets::find_equal_in(u32 shard, u32 shards, u64 count) {
  const u64 slots = std::bit_ceil(count * 2 + 1);
  std::vector<Hashed> table(slots, {0, kNone});
  const auto find = [&](const Hashed &name) -> Hashed & {
    const PlacedNames::Entry &entry = names_.entries[name.position];
    for (u64 slot = name.hash & (slots - 1);; slot = (slot + 1) & (slots - 1)) {
      Hashed &found = table[slot];
      if (found.position == kNone)
        return found;
      const PlacedNames::Entry &other = names_.entries[found.position];
      if (found.hash == name.hash && other.size == entry.size &&
          std::memcmp(other.text, entry.text, entry.size) == 0)
        return found;
    }
  };
  const auto shard_in = [](const Hashed &name) { return shard_of(name.hash); };
  for (const std::vector<Hashed> &range : hashed_) {
    const std::span<const Hashed> hashed =
        shards == 1 ? std::span(range) : std::ranges::equal_range(range, shard, {}, shard_in);
    for (u64 i = 0; i < hashed.size(); ++i) {
      if (i + kStepsAhead < hashed.size())
        __builtin_prefetch(&table[hashed[i + kStepsAhead].hash & (slots - 1)]);
      Hashed &found = find(hashed[i]);
      if (found.position == kNone)
        found = hashed[i];
      else
        names_.entries[hashed[i].position].owner = found.position;
    }
  }
}

// How many bytes the names take that are first used in a range.
void NameOffsets::measure(u32 begin, u32 end) {
  PlacedNames::Entry *entries = names_.entries.data();
  const u32 *first_of = first_of_.data();
  u64 size = 0;
  bool repeated = false;
  for (u32 i = begin; i < end; ++i) {
    u32 owner = entries[i].owner;
    if (owner == kNone)
      continue;
    if ((owner & kIsNumber) != 0)
      entries[i].owner = owner = first_of[owner & ~kIsNumber];
    size += owner == i ? entries[i].size + 1 : 0;
    repeated |= owner != i;
  }
  names_.range_starts[begin / kTogether] = size;
  has_repeated_[begin / kTogether] = repeated;
}

RawVector<u32> NameOffsets::place() {
  find_equal();
  const u32 count = static_cast<u32>(names_.entries.size());
  names_.range_starts.assign(count / kTogether + 1, 0);
  pool_.for_ranges(count, kTogether, [this](u32 begin, u32 end) { measure(begin, end); });
  for (u64 &start : names_.range_starts)
    names_.size += std::exchange(start, names_.size);

  RawVector<u32> offsets(count);
  u32 *out = offsets.data();
  const PlacedNames::Entry *entries = names_.entries.data();
  pool_.for_ranges(count, kTogether, [&](u32 begin, u32 end) {
    u64 offset = names_.range_starts[begin / kTogether];
    for (u32 i = begin; i < end; ++i) {
      const bool here = entries[i].owner == i;
      out[i] = here ? static_cast<u32>(offset) : 0;
      offset += here ? entries[i].size + 1 : 0;
    }
  });
  if (std::ranges::find(has_repeated_, 1) == has_repeated_.end())
    return offsets;
  pool_.for_ranges(count, kTogether, [&](u32 begin, u32 end) {
    for (u32 i = begin; i < end; ++i)
      if (const u32 owner = entries[i].owner; owner != i && owner != kNone)
        out[i] = out[owner];
  });
  return offsets;
}

} // namespace culink::elf
