// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hashes of names. A name is hashed in two parts, the text after its last dot and the text before
// it. The first part alone selects the line of slots, so that all sections of one function share a
// line.
//
// Names come from strangers, who could choose a hundred thousand of them with one hash. So a hash
// depends on a number that the system gives every process at its start. No order in any output
// depends on a hash, so nobody sees that number.
//
// Indexes are joined by several threads, each of which takes whole parts. All strings go into one
// table, at first with the number that they would have if no two were the same; of equal ones the
// smallest remains, which is the first. Then those that remain are numbered. Strings of the first
// part have their numbers from the beginning; if its table is large enough for all, it is copied.
#include "base/string_index.h"

#include <atomic>
#include <cstring>
#include <numeric>
#include <sys/auxv.h>

#include "base/name_map.h"
#include "base/worker_pool.h"

namespace culink {

namespace {

constexpr u64 kSizeFactor = 0x9e3779b97f4a7c15;

// Both halves of the product, so that every bit of the factors counts.
u64 fold(u64 a, u64 b) {
  __extension__ using Wide = unsigned __int128;
  const Wide product = Wide{a} * b;
  return static_cast<u64>(product) ^ static_cast<u64>(product >> 64);
}

u64 read_secret() {
  u64 words[2] = {0x9e3779b97f4a7c15, 0xd1b54a32d192ed03};
  if (const unsigned long at = ::getauxval(AT_RANDOM); at != 0)
    std::memcpy(words, reinterpret_cast<const void *>(at), sizeof words);
  return fold(words[0] ^ kSizeFactor, words[1]) | 1;
}

const u64 kSecret = read_secret();

// Sixteen bytes at a time, the last ones perhaps twice; names are some thirty bytes long, and there
// are half a million of them.
inline u64 hash_bytes(u64 hash, std::string_view s) {
  const u8 *p = reinterpret_cast<const u8 *>(s.data());
  const size_t size = s.size();
  hash += size * kSizeFactor;
  if (size >= 16) {
    for (size_t i = 16; i < size; i += 16)
      hash = fold(load_le<u64>(p + i - 16) ^ kSecret, load_le<u64>(p + i - 8) ^ hash);
    return fold(load_le<u64>(p + size - 16) ^ kSecret, load_le<u64>(p + size - 8) ^ hash);
  }
  if (size >= 8)
    return fold(load_le<u64>(p) ^ kSecret, load_le<u64>(p + size - 8) ^ hash);
  if (size >= 4)
    return fold(load_le<u32>(p) ^ kSecret, load_le<u32>(p + size - 4) ^ hash);
  u64 few = 0;
  for (size_t i = 0; i < size; ++i)
    few = few << 8 | p[i];
  return fold(few ^ kSecret, hash);
}

} // namespace

size_t NameHash::operator()(std::string_view name) const {
  return hash_bytes(0, name);
}

u32 StringIndex::family_of(std::string_view name) {
  return static_cast<u32>(hash_bytes(0, name));
}

u32 StringIndex::find_other_slot(std::string_view s, u32 hash) const {
  return walk(hash, [&](u32 i) {
    const u64 slot = slots_[i];
    return slot == kFree || (hash_in(slot) == hash && strings_[number_in(slot)] == s);
  });
}

u32 StringIndex::hash_of(std::string_view s) {
  if (!s.starts_with('.'))
    return family_of(s);
  const char *dot = static_cast<const char *>(::memrchr(s.data(), '.', s.size()));
  const size_t prefix = static_cast<size_t>(dot - s.data());
  return hash_of_member(s.substr(0, prefix), family_of(s.substr(prefix + 1)));
}

u32 StringIndex::hash_of_member(std::string_view prefix, u32 family) {
  const u32 member = static_cast<u32>(hash_bytes(family, prefix));
  return (family & kFamilyBits) | (member & ~kFamilyBits);
}

class StringIndex::Joiner {
public:
  Joiner(std::span<const StringIndex *const> parts, WorkerPool &pool)
      : parts_(parts), pool_(pool), starts_(parts.size() + 1), slot_of_(parts.size()) {}

  Joined run();

private:
  void make_slots();
  [[nodiscard]] u64 least_slots() const {
    return std::bit_ceil(std::max<u64>(u64{starts_.back()} * 2, 2 * kLine));
  }
  // Whether the table starts as a copy of the first part's.
  [[nodiscard]] bool copies_first() const { return parts_[0]->slots_.size() >= least_slots(); }
  void insert(u32 part);
  void find_known(u32 part);
  void number_new(u32 part);
  void for_parts(void (Joiner::*step)(u32)) {
    pool_.for_each(static_cast<u32>(parts_.size()), [&](u32 part) { (this->*step)(part); });
  }
  u32 put(u64 entry, std::string_view s);
  [[gnu::noinline]] bool take_slot(u32 number, u64 entry, std::string_view s);
  [[nodiscard]] u32 part_of(u32 provisional) const {
    return static_cast<u32>(std::upper_bound(starts_.begin(), starts_.end(), provisional) -
                            starts_.begin() - 1);
  }
  [[nodiscard]] std::string_view string(u32 provisional) const {
    const u32 part = part_of(provisional);
    return parts_[part]->strings_[provisional - starts_[part]];
  }

  std::span<const StringIndex *const> parts_;
  WorkerPool &pool_;
  std::vector<u32> starts_;               // by part: of its provisional numbers; and the end
  std::vector<std::vector<u32>> slot_of_; // by part and its own number
  Joined out_;
};

StringIndex::Joined StringIndex::Joiner::run() {
  for (size_t i = 0; i < parts_.size(); ++i) {
    starts_[i + 1] = starts_[i] + parts_[i]->size();
    out_.index.starts_with_dots_ &= parts_[i]->starts_with_dots_;
  }
  out_.numbers.resize(parts_.size());
  out_.known.resize(parts_.size());
  out_.first_new.resize(parts_.size());
  make_slots();
  for_parts(&Joiner::insert);
  for_parts(&Joiner::find_known);
  u32 count = 0;
  for (size_t i = 0; i < parts_.size(); ++i) {
    out_.first_new[i] = count;
    count += parts_[i]->size() - static_cast<u32>(out_.known[i].size());
  }
  out_.index.strings_.reserve(count + count / 8 + 1024); // those that follow do not copy all
  out_.index.strings_.resize(count);
  for_parts(&Joiner::number_new);
  for (size_t i = 0; i < parts_.size(); ++i)
    for (const u32 own : out_.known[i]) {
      u32 &number = out_.numbers[i][own]; // provisional, of the first such string
      const u32 part = part_of(number);
      number = out_.numbers[part][number - starts_[part]];
    }
  return std::move(out_);
}

void StringIndex::Joiner::make_slots() {
  constexpr u32 kTogether = 1 << 16;
  Slots &slots = out_.index.slots_;
  slots.resize(std::max<u64>(least_slots(), parts_[0]->slots_.size()));
  pool_.for_ranges(static_cast<u32>(slots.size()), kTogether, [&](u32 begin, u32 end) {
    if (copies_first())
      std::copy_n(parts_[0]->slots_.begin() + begin, end - begin, slots.begin() + begin);
    else
      std::fill(slots.begin() + begin, slots.begin() + end, kFree);
  });
}

void StringIndex::Joiner::insert(u32 part) {
  if (part == 0 && copies_first())
    return;
  const StringIndex &from = *parts_[part];
  std::vector<u32> hashes(from.size());
  for (const u64 slot : from.slots_)
    if (slot != kFree)
      hashes[number_in(slot)] = hash_in(slot);
  std::vector<u32> &slot_of = slot_of_[part];
  slot_of.resize(from.size());
  for (u32 i = 0; i < from.size(); ++i) {
    if (i + kStepsAhead < from.size())
      out_.index.expect(hashes[i + kStepsAhead]);
    slot_of[i] = put(make_slot(hashes[i], starts_[part] + i), from.strings_[i]);
  }
}

u32 StringIndex::Joiner::put(u64 entry, std::string_view s) {
  u64 *slots = out_.index.slots_.data();
  return out_.index.walk(hash_in(entry), [&](u32 i) {
    const u64 there = std::atomic_ref<u64>(slots[i]).load(std::memory_order_relaxed);
    return (there == kFree || hash_in(there) == hash_in(entry)) && take_slot(i, entry, s);
  });
}

// False: another string has the slot.
bool StringIndex::Joiner::take_slot(u32 number, u64 entry, std::string_view s) {
  std::atomic_ref<u64> slot(out_.index.slots_[number]);
  u64 there = slot.load(std::memory_order_relaxed);
  while (there == kFree)
    if (slot.compare_exchange_weak(there, entry, std::memory_order_relaxed))
      return true;
  if (hash_in(there) != hash_in(entry) || string(number_in(there)) != s)
    return false;
  while (entry < there && !slot.compare_exchange_weak(there, entry, std::memory_order_relaxed)) {
  }
  return true;
}

void StringIndex::Joiner::find_known(u32 part) {
  std::vector<u32> &numbers = out_.numbers[part];
  numbers.resize(parts_[part]->size());
  if (part == 0 && copies_first())
    return std::iota(numbers.begin(), numbers.end(), 0);
  for (u32 i = 0; i < numbers.size(); ++i) {
    numbers[i] = number_in(out_.index.slots_[slot_of_[part][i]]);
    if (numbers[i] != starts_[part] + i)
      out_.known[part].push_back(i);
  }
}

void StringIndex::Joiner::number_new(u32 part) {
  if (part == 0 && copies_first()) {
    std::ranges::copy(parts_[0]->strings_, out_.index.strings_.begin());
    return;
  }
  u32 number = out_.first_new[part];
  for (u32 i = 0; i < out_.numbers[part].size(); ++i) {
    if (out_.numbers[part][i] != starts_[part] + i)
      continue;
    u64 &slot = out_.index.slots_[slot_of_[part][i]];
    slot = make_slot(hash_in(slot), number);
    out_.index.strings_[number] = parts_[part]->strings_[i];
    out_.numbers[part][i] = number++;
  }
}

StringIndex::Joined StringIndex::join(std::span<const StringIndex *const> parts, WorkerPool &pool) {
  return Joiner(parts, pool).run();
}

} // namespace culink
