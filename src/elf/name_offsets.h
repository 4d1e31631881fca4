// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "base/name_slots.h"
#include "base/raw_table.h"
#include "base/string_index.h"
#include "base/types.h"
#include "base/worker_pool.h"

namespace culink::elf {

inline constexpr u32 kNoNumber = 0xffffffff;

// What a string table holds: a NUL, then each different name once, in order of first use, each with
// its NUL. Suffixes are not shared; ptxas and nvlink do not share them either.
struct PlacedNames {
  static constexpr u32 kTogether = 4096; // positions of one range

  RawVector<u32> offsets;        // by position in the order of use; 0: no name
  std::vector<u64> range_starts; // the offset of the first name of each range of positions
  u64 size = 1;

  [[nodiscard]] u32 range_count() const { return static_cast<u32>(range_starts.size()); }
  // Writes the names of a range of positions into the table, which different threads may do for
  // different ranges. `text_at`: the name of a position.
  template <typename TextAt> void write(u32 range, TextAt text_at, u8 *table) const {
    const u32 begin = range * kTogether;
    const u32 end = static_cast<u32>(std::min<u64>(u64{begin} + kTogether, offsets.size()));
    const u32 *offset = offsets.data();
    u64 next = range_starts[range];
    for (u32 i = begin; i < end; ++i) {
      if (offset[i] != next) // none, or the name of an earlier position
        continue;
      const std::string_view text = text_at(i);
      if (!text.empty())
        std::memcpy(table + next, text.data(), text.size());
      next += text.size();
      table[next++] = 0;
    }
  }
};

// Finds the offset of every name. Several threads read the names, find out which are the same, and
// place them.
class NameOffsets {
public:
  static constexpr u32 kTogether = PlacedNames::kTogether;

  enum class Sharing : u8 {
    None,       // "" needs no bytes
    Equal,      // equal names are one
    Separately, // the name is there once more
    Blank,      // "" with a byte of its own, which all of this kind share
  };
  struct Name {
    std::string_view text;
    u32 number = kNoNumber; // in `numbered`
    Sharing sharing = Sharing::Equal;
  };

  using TextAt = std::function<std::string_view(u32 position)>;

  // `numbered`: names that have numbers need no lookup by text, which in a large link is most of
  // the work. May be null. `text_at`: the texts of others.
  NameOffsets(const StringIndex *numbered, u32 count, TextAt text_at, WorkerPool &pool);

  // Reads the names of positions [begin, end), a range of kTogether or the last. Different threads
  // may do so for different ranges; all must have been read before place(). One thread alone reads
  // them in order.
  template <typename NameAt> void read(u32 begin, u32 end, NameAt name_at) {
    if (alone_)
      return place_range(begin, end, name_at);
    HashedNames &hashed = hashed_[begin / kTogether];
    u32 *owners = owners_.data();
    u32 *sizes = names_.offsets.data(); // until they are placed
    for (u32 position = begin; position < end; ++position) {
      const Name name = name_at(position);
      sizes[position] = static_cast<u32>(name.text.size());
      owners[position] = name.number == kNoNumber || name.sharing != Sharing::Equal
                             ? take(name.text, name.sharing, position, hashed.names)
                             : note_first(name.number, position);
    }
    hash(hashed);
  }
  [[nodiscard]] PlacedNames place();

private:
  struct Hashed {
    u32 hash;
    u32 position;
  };
  static constexpr u32 kShards = 64; // selected by the top bits of a hash
  struct HashedNames {
    std::vector<Hashed> names;             // those of one shard follow each other in the end
    std::array<u32, kShards + 1> starts{}; // of shards, and the end
    [[nodiscard]] std::span<const Hashed> of_shard(u32 shard) const {
      return std::span(names).subspan(starts[shard], starts[shard + 1] - starts[shard]);
    }
  };
  // An owner that is not a position: none, or the number of a name, whose first use is not known
  // yet.
  static constexpr u32 kNone = 0xffffffff;
  static constexpr u32 kIsNumber = 0x80000000;

  // For one thread: a name that has no offset yet gets the next one.
  template <typename NameAt> [[gnu::flatten]] void place_range(u32 begin, u32 end, NameAt name_at) {
    u32 *offsets = names_.offsets.data();
    u32 *first_of = first_of_.data();
    u64 next = names_.size;
    names_.range_starts.push_back(next);
    for (u32 position = begin; position < end; ++position) {
      const Name name = name_at(position);
      u32 &offset = name.number != kNoNumber && name.sharing == Sharing::Equal
                        ? first_of[name.number]
                        : find_offset(name.text, name.sharing, position);
      if (offset == kNone) {
        offset = static_cast<u32>(next);
        next += (name.sharing == Sharing::Blank ? 0 : name.text.size()) + 1;
      }
      offsets[position] = offset;
    }
    names_.size = next;
  }
  u32 &find_offset(std::string_view text, Sharing sharing, u32 position);
  u32 &find_offset_of_text(std::string_view text, u32 position);

  // For several threads. These return the owner.
  u32 take(std::string_view text, Sharing sharing, u32 position, std::vector<Hashed> &hashed);
  u32 note_first(u32 number, u32 position);
  void hash(HashedNames &hashed) const;
  void correct_firsts(u32 begin, u32 end);
  void find_equal();
  void find_equal_in(std::optional<u32> shard);
  void measure(u32 begin, u32 end);
  void place_all();

  const StringIndex *numbered_;
  TextAt text_at_;
  WorkerPool &pool_;
  const bool alone_; // there is one thread
  // By number: the first position, or, for one thread, the offset; behind them that of blank names.
  RawVector<u32> first_of_;
  // Of one thread: names without a number, slots by hash.
  NameSlots slots_;
  u32 other_offset_ = 0; // of a name that is not shared
  // Of several:
  std::vector<HashedNames> hashed_; // names without a number, by range
  std::vector<u8> has_repeated_;    // by range: a name that was used before is in it
  // By position: the position of the first name that is the same; its own: the bytes are here.
  RawVector<u32> owners_;
  PlacedNames names_;
};

} // namespace culink::elf
