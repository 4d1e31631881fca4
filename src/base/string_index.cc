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
// Indexes are joined by several threads. The sizes of tables are powers of two, so the lines where
// a name may be have the same last bits in all of them: a column. A thread takes a column of all
// parts, one after the other, so that of equal strings the first one comes first; it reads memory
// in order, and nobody else writes to that column. Strings that find their lines full, or were
// elsewhere in their part for that reason, follow when all columns are done; of equal ones the
// smallest number remains. If the table of the first part is large enough for all, it is used.
#include "base/string_index.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstring>
#include <sys/auxv.h>

#include "base/bytes.h"
#include "base/name_map.h"
#include "base/touch_pages.h"
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

u32 StringIndex::hash_of_prefix(std::string_view prefix) {
  return static_cast<u32>(hash_bytes(kSizeFactor, prefix));
}

u32 StringIndex::hash_of(std::string_view s) {
  if (!s.starts_with('.'))
    return family_of(s);
  const char *dot = static_cast<const char *>(::memrchr(s.data(), '.', s.size()));
  const size_t prefix = static_cast<size_t>(dot - s.data());
  return join_hashes(hash_of_prefix(s.substr(0, prefix)), family_of(s.substr(prefix + 1)));
}

class StringIndex::Joiner {
public:
  Joiner(std::span<StringIndex *const> parts, WorkerPool &pool)
      : parts_(parts), pool_(pool), texts_(parts.size()) {}

  Joined run();

private:
  // A string that an earlier part has, and the slot of that one.
  struct Repeated {
    u32 number;
    u32 slot;
  };
  struct Column {
    std::vector<u64> others; // to be inserted when all columns are done
    std::vector<Repeated> repeated;
  };
  struct TextRange {
    u32 part, begin, end;
  };

  using Slots = NameSlots::Slots;
  static constexpr u64 kFree = NameSlots::kFree;
  static constexpr u32 kLine = NameSlots::kLine;
  static u32 hash_in(u64 slot) { return NameSlots::hash_in(slot); }
  static u32 number_in(u64 slot) { return NameSlots::number_in(slot); }

  void make_room();
  void cut_columns();
  void touch_memory();
  void copy_texts(u32 range);
  void insert_column(u32 number);
  void insert_at_home(u64 entry, Column &column);
  void insert_others(Column &column);
  [[gnu::noinline]] bool take_slot(u32 number, u64 entry, std::vector<Repeated> &repeated);
  void list_known();
  void list_known_of(u32 part);

  [[nodiscard]] bool is_same(u64 a, u64 b) const {
    return hash_in(a) == hash_in(b) && text(number_in(a)) == text(number_in(b));
  }
  [[nodiscard]] std::string_view text(u32 number) const {
    const auto after = std::upper_bound(out_.starts.begin(), out_.starts.end(), number);
    const size_t part = static_cast<size_t>(after - out_.starts.begin() - 1);
    return texts_[part][number - out_.starts[part]];
  }

  std::span<StringIndex *const> parts_;
  WorkerPool &pool_;
  std::vector<const std::string_view *> texts_; // by part and number
  u32 first_part_ = 0;                          // that is not in place yet
  u32 period_ = 0; // slots after which the columns begin again; the table of no part is smaller
  u32 width_ = 0;  // slots of a column in each period
  std::vector<Column> columns_;
  std::vector<TextRange> text_ranges_;
  Slots slots_; // of the whole
  Joined out_;
};

StringIndex::Joined StringIndex::Joiner::run() {
  out_.starts.push_back(0);
  for (size_t i = 0; i < parts_.size(); ++i) {
    out_.starts.push_back(out_.starts.back() + parts_[i]->size());
    out_.index.starts_with_dots_ &= parts_[i]->starts_with_dots_;
    texts_[i] = parts_[i]->strings_.data();
  }
  make_room();
  touch_memory();
  cut_columns();
  const u32 columns = static_cast<u32>(columns_.size());
  pool_.for_each(columns + static_cast<u32>(text_ranges_.size()), [&](u32 i) {
    if (i < columns)
      insert_column(i);
    else
      copy_texts(i - columns);
  });
  pool_.for_each(columns, [&](u32 i) { insert_others(columns_[i]); });
  list_known();
  out_.index.slots_ = NameSlots(std::move(slots_), out_.starts.back());
  return std::move(out_);
}

void StringIndex::Joiner::make_room() {
  constexpr u32 kTogether = 1 << 14; // strings
  StringIndex &whole = out_.index, &first = *parts_[0];
  const u32 count = out_.starts.back();
  const u64 least = std::bit_ceil(std::max<u64>(u64{count} * 2, 2 * kLine));
  if (first.slots_.slots().size() >= least) {
    slots_ = first.slots_.take_slots();
    whole.strings_ = std::move(first.strings_);
    first_part_ = 1;
  } else {
    slots_.resize(least); // all kFree
  }
  if (constexpr u64 kMore = 1024; whole.strings_.capacity() < count + kMore)
    whole.strings_.reserve(count + count / 8 + kMore); // those that follow do not copy all
  whole.strings_.resize(count);
  if (first_part_ == 1)
    texts_[0] = whole.strings_.data();
  for (u32 part = first_part_; part < parts_.size(); ++part)
    for (u32 begin = 0, size = parts_[part]->size(); begin < size; begin += kTogether)
      text_ranges_.push_back({part, begin, std::min(begin + kTogether, size)});
}

void StringIndex::Joiner::touch_memory() {
  StringIndex &whole = out_.index;
  FirstTouch memory;
  if (first_part_ == 0)
    memory.add(slots_.data(), slots_.data() + slots_.size());
  memory.add(whole.strings_.data() + out_.starts[first_part_],
             whole.strings_.data() + whole.strings_.size());
  memory.run(pool_);
}

void StringIndex::Joiner::cut_columns() {
  constexpr u32 kColumns = 64;
  constexpr u32 kLeast = 4 * kLine;
  period_ = static_cast<u32>(slots_.size());
  for (const StringIndex *part : parts_.subspan(first_part_))
    if (const Slots &own = part->slots_.slots(); !own.empty())
      period_ = std::min(period_, static_cast<u32>(own.size()));
  width_ = std::min(period_, std::max(period_ / kColumns, kLeast));
  columns_.resize(period_ / width_);
}

void StringIndex::Joiner::copy_texts(u32 range) {
  const auto &[part, begin, end] = text_ranges_[range];
  std::copy(texts_[part] + begin, texts_[part] + end,
            out_.index.strings_.data() + out_.starts[part] + begin);
}

void StringIndex::Joiner::insert_column(u32 number) {
  Column &column = columns_[number];
  const u32 begin = number * width_;
  const u32 column_bits = (period_ - 1) & ~(width_ - 1);
  const u32 mask = static_cast<u32>(slots_.size()) - 1;
  constexpr u32 kTogether = 8 * kLine;
  std::array<u64, kTogether> taken;
  for (u32 part = first_part_; part < parts_.size(); ++part) {
    const Slots &slots = parts_[part]->slots_.slots();
    const u64 start = u64{out_.starts[part]} << 32;
    for (u64 at = begin; at < slots.size(); at += period_)
      for (u64 i = at; i < at + width_; i += kTogether) {
        u32 count = 0;
        for (u64 j = i; j < std::min(i + kTogether, at + width_); ++j) { // without a branch
          taken[count] = slots[j] + start;
          count += slots[j] != kFree;
        }
        for (const u64 entry : std::span(taken).first(count))
          prefetch_line(&slots_[hash_in(entry) & mask]);
        for (const u64 entry : std::span(taken).first(count))
          if ((hash_in(entry) & column_bits) == begin)
            insert_at_home(entry, column);
          else
            column.others.push_back(entry);
      }
  }
}

void StringIndex::Joiner::insert_at_home(u64 entry, Column &column) {
  const u32 hash = hash_in(entry);
  const u32 home = NameSlots::home_of(slots_, hash);
  for (u32 i = 0; i < 2 * kLine; ++i) { // as in walk()
    const u32 number = (home ^ (i & kLine)) | ((hash + i) & (kLine - 1));
    u64 &slot = slots_[number];
    if (slot == kFree) {
      slot = entry;
      return;
    }
    if (is_same(slot, entry)) {
      column.repeated.push_back({number_in(entry), number});
      return;
    }
  }
  column.others.push_back(entry);
}

void StringIndex::Joiner::insert_others(Column &column) {
  const u32 mask = static_cast<u32>(slots_.size()) - 1;
  for (size_t next = 0; next < column.others.size(); ++next) {
    const u64 entry = column.others[next];
    if (next + kStepsAhead < column.others.size())
      prefetch_line(&slots_[hash_in(column.others[next + kStepsAhead]) & mask]);
    NameSlots::walk(slots_, hash_in(entry), [&](u32 i) {
      const u64 there = std::atomic_ref<u64>(slots_[i]).load(std::memory_order_relaxed);
      return (there == kFree || hash_in(there) == hash_in(entry)) &&
             take_slot(i, entry, column.repeated);
    });
  }
  std::ranges::sort(column.repeated, {}, &Repeated::number);
}

// False: another string has the slot.
bool StringIndex::Joiner::take_slot(u32 number, u64 entry, std::vector<Repeated> &repeated) {
  std::atomic_ref<u64> slot(slots_[number]);
  u64 there = slot.load(std::memory_order_relaxed);
  while (there == kFree)
    if (slot.compare_exchange_weak(there, entry, std::memory_order_relaxed))
      return true;
  if (!is_same(there, entry))
    return false;
  while (entry < there && !slot.compare_exchange_weak(there, entry, std::memory_order_relaxed)) {
  }
  repeated.push_back({number_in(std::max(entry, there)), number});
  return true;
}

void StringIndex::Joiner::list_known() {
  constexpr size_t kFew = 4096; // not worth a thread
  const u32 parts = static_cast<u32>(parts_.size());
  size_t count = 0;
  for (const Column &column : columns_)
    count += column.repeated.size();
  out_.known.resize(parts);
  pool_.for_ranges(parts, count < kFew ? parts : 1, [&](u32 begin, u32 end) {
    for (u32 part = begin; part < end; ++part)
      list_known_of(part);
  });
}

void StringIndex::Joiner::list_known_of(u32 part) {
  std::vector<Joined::Known> &known = out_.known[part];
  const u32 start = out_.starts[part], end = out_.starts[part + 1];
  for (const Column &column : columns_)
    for (auto at = std::ranges::lower_bound(column.repeated, start, {}, &Repeated::number);
         at != column.repeated.end() && at->number < end; ++at)
      known.push_back({at->number - start, number_in(slots_[at->slot])});
  std::ranges::sort(known, {}, &Joined::Known::own);
}

StringIndex::Joined StringIndex::join(std::span<StringIndex *const> parts, WorkerPool &pool) {
  return Joiner(parts, pool).run();
}

} // namespace culink
