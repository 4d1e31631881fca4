// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <cstring>
#include <optional>
#include <string_view>
#include <vector>

#include "support/string_index.h"
#include "support/types.h"

namespace culink::elf {

inline constexpr u32 kNoNumber = 0xffffffff;

// The contents of a string table: a NUL, then each different name once, in order of first use, each
// with its NUL. Suffixes are not shared; ptxas and nvlink do not share them either.
struct PlacedNames {
  static constexpr u32 kTogether = 4096; // number of positions of a range

  std::vector<u32> offsets;            // by position in the order of use; 0: no name
  std::vector<std::string_view> texts; // by position
  std::vector<u64> range_starts;       // the offset of the first name of each range of positions
  u64 size = 1;

  [[nodiscard]] u32 range_count() const { return static_cast<u32>(range_starts.size()); }
  // Writes the names of a range of positions into the table. Different threads may write different
  // ranges.
  void write(u32 range, u8 *table) const {
    const u32 begin = range * kTogether;
    const u32 end = static_cast<u32>(std::min<u64>(u64{begin} + kTogether, offsets.size()));
    u64 next = range_starts[range];
    for (u32 i = begin; i < end; ++i) {
      if (offsets[i] != next) // no name, or the name of an earlier position
        continue;
      if (!texts[i].empty())
        std::memcpy(table + next, texts[i].data(), texts[i].size());
      next += texts[i].size();
      table[next++] = 0;
    }
  }
};

// A name of a string table.
struct TableName {
  enum class Sharing : u8 {
    None,       // "" needs no bytes
    Equal,      // equal names share their bytes
    Separately, // the name is stored again
    Blank,      // "" with a byte of its own, which all Blank names share
  };
  std::string_view text;
  u32 number = kNoNumber; // index in `numbered`, which saves a lookup by text; most names have one
  Sharing sharing = Sharing::Equal;
};

// Gives each name its offset in order of first use. `numbered` may be null. `name_at` returns the
// name of a position.
template <typename NameAt>
[[nodiscard]] PlacedNames place_names(const StringIndex *numbered, u32 count, NameAt name_at) {
  using Sharing = TableName::Sharing;
  constexpr u32 kNone = 0xffffffff;
  PlacedNames placed;
  placed.offsets.resize(count);
  placed.texts.reserve(count);
  std::vector<u32> offset_of(numbered ? numbered->size() : 0, kNone); // by number
  NameSlots others; // names without a number, by position of their first use
  u32 blank = kNone;

  // Holds the offset of a name, now or later.
  u32 own = kNone;
  const auto find_offset = [&](const TableName &name, u32 position) -> u32 & {
    if (name.sharing == Sharing::Blank)
      return blank;
    own = name.sharing == Sharing::Separately ? kNone : 0;
    if (name.sharing != Sharing::Equal || name.text.empty())
      return own;
    if (name.number != kNoNumber)
      return offset_of[name.number];
    if (numbered)
      if (const std::optional<u32> number = numbered->find(name.text))
        return offset_of[*number];
    const auto [first, is_new] =
        others.insert(StringIndex::hash_of(name.text), position,
                      [&](u32 other) { return placed.texts[other] == name.text; });
    if (is_new)
      placed.offsets[position] = kNone;
    return placed.offsets[first];
  };

  for (u32 position = 0; position < count; ++position) {
    if (position % PlacedNames::kTogether == 0)
      placed.range_starts.push_back(placed.size);
    const TableName name = name_at(position);
    placed.texts.push_back(name.sharing == Sharing::Blank ? std::string_view() : name.text);
    u32 &offset = find_offset(name, position);
    if (offset == kNone) {
      offset = static_cast<u32>(placed.size);
      placed.size += placed.texts.back().size() + 1;
    }
    placed.offsets[position] = offset;
  }
  placed.range_starts.resize(count / PlacedNames::kTogether + 1, placed.size);
  return placed;
}

} // namespace culink::elf
