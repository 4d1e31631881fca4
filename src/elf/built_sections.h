// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The sections of a file that is being built. A large file has 100,000 of them, nearly all of which
// have a numbered name and one piece of content, and everything else in common with thousands of
// others. Such a section takes 32 bytes. Few have more to them, which is in a table of its own.
#pragma once

#include <array>
#include <memory>
#include <span>
#include <vector>

#include "base/string_index.h"
#include "base/types.h"
#include "base/uninitialized.h"
#include "base/worker_pool.h"
#include "elf/section_spec.h"

namespace culink::elf {

// Entries of a table that belong to one section.
struct EntryList {
  static constexpr u32 kNoEntry = 0xffffffff;
  u32 first = kNoEntry;
  u32 last = kNoEntry;
  [[nodiscard]] bool empty() const { return first == kNoEntry; }
};

// The lists of all sections lie in one table per kind of entry, because many sections have a few
// entries each. An entry names the next one of its section.
template <typename T> class EntryLists {
public:
  void append(EntryList &list, const T &value) {
    const u32 number = static_cast<u32>(entries_.size());
    entries_.push_back({value, EntryList::kNoEntry});
    (list.empty() ? list.first : entries_[list.last].next) = number;
    list.last = number;
  }
  // The same with all values of `parts`, in this order.
  void append(EntryList &list, std::span<const std::vector<T>> parts, WorkerPool &pool) {
    std::vector<u32> starts;
    const u32 first = static_cast<u32>(entries_.size());
    u32 end = first;
    for (const std::vector<T> &part : parts) {
      starts.push_back(end);
      end += static_cast<u32>(part.size());
    }
    if (end == first)
      return;
    entries_.resize(end);
    pool.for_each(static_cast<u32>(parts.size()), [&](u32 i) {
      u32 number = starts[i];
      for (const T &value : parts[i]) {
        entries_[number] = {value, number + 1};
        ++number;
      }
    });
    entries_[end - 1].next = EntryList::kNoEntry;
    (list.empty() ? list.first : entries_[list.last].next) = first;
    list.last = end - 1;
  }
  template <typename Use> void for_each(const EntryList &list, Use use) const {
    for (u32 i = list.first; i != EntryList::kNoEntry; i = entries_[i].next)
      use(entries_[i].value);
  }

private:
  struct Entry {
    T value;
    u32 next;
  };
  RawVector<Entry> entries_;
};

class BuiltSections {
public:
  static constexpr u32 kDetailed = 0xffffffff;

  // What is found for each section.
  struct State {
    static constexpr u32 kAll = 0xffffffff;
    const u8 *first = nullptr; // the bytes that it begins with, or none
    u64 size = 0;
    u32 given = kAll; // how many these are; kAll: as many as its size
    u32 name_number = kNoNumber;
    u32 kind = kDetailed; // a number of kinds()
    u32 info = 0;         // what sh_info names, or its value; of a detailed section: its detail

    [[nodiscard]] ByteSpan bytes() const {
      return first ? ByteSpan(first, given == kAll ? size : given) : ByteSpan();
    }
  };
  static_assert(sizeof(State) == 32);

  // A section that has more to it.
  struct Detail {
    SectionSpec spec;
    EntryList more; // pieces behind the first
    EntryList fixups;
    EntryList relocations;
    u64 relocations_start = 0; // the offset of the first one
  };
  struct Piece {
    u64 offset;
    ByteSpan bytes;
  };

  // `names` may be null.
  explicit BuiltSections(const StringIndex *names);
  ~BuiltSections();
  BuiltSections(BuiltSections &&) noexcept;
  BuiltSections &operator=(BuiltSections &&) noexcept;

  [[nodiscard]] u32 size() const { return static_cast<u32>(states_.size()); }
  [[nodiscard]] const State &operator[](u32 id) const { return states_[id]; }
  [[nodiscard]] const State *begin() const { return states_.data(); }
  void reserve(u64 count) { states_.reserve(count); }
  // The first of `count` new sections.
  u32 extend(u32 count) {
    states_.resize(states_.size() + count);
    return size() - count;
  }
  u32 add(const SectionSpec &spec);

  // Whether put() may be used for a section: it needs no detail.
  [[nodiscard]] static bool is_plain(ByteSpan bytes, u64 size) {
    return bytes.empty() || bytes.size() == size || bytes.size() < State::kAll;
  }
  // The number of the kind of a section, which has neither shares_bytes_with nor gap_after. Threads
  // may ask at the same time, and had better remember: it takes a lock.
  [[nodiscard]] u32 number_of_kind(const SectionSpec &spec) {
    return find_or_add_kind(spec).number;
  }
  // Precondition: is_plain, and the name has a number. Threads may put different sections.
  // `info`: of the form that all of the kind have.
  void put(u32 id, u32 kind, u32 name_number, const InfoField &info, ByteSpan bytes, u64 size) {
    State &state = states_[id];
    state.first = bytes.empty() ? nullptr : bytes.data();
    state.size = size;
    state.given = bytes.size() == size ? State::kAll : static_cast<u32>(bytes.size());
    state.name_number = name_number;
    state.kind = kind;
    state.info = number_in(info);
  }

  // Content at `offset`, which is not inside what is there. Not for several threads, unless the
  // section is empty.
  void append(u32 id, u64 offset, ByteSpan bytes);
  void append_zeros(u32 id, u64 offset, u64 size) { grow(id, offset + size); }
  // For one thread: gives a section a detail.
  [[nodiscard]] Detail &detail(u32 id);
  [[nodiscard]] const Detail *find_detail(const State &state) const {
    return state.kind == kDetailed ? &details_[state.info] : nullptr;
  }
  [[nodiscard]] const EntryLists<Piece> &pieces() const { return pieces_; }

  // The headers of sections, without names and what sh_info names.
  [[nodiscard]] std::span<const SectionSpec> kinds() const { return kinds_; }
  [[nodiscard]] const SectionSpec &kind_of(const State &state) const {
    return state.kind == kDetailed ? details_[state.info].spec : kinds_[state.kind];
  }
  [[nodiscard]] std::string_view name_of(const State &state) const {
    return state.kind == kDetailed ? details_[state.info].spec.name : (*names_)[state.name_number];
  }
  [[nodiscard]] u32 name_number_of(const State &state) const {
    return state.kind == kDetailed ? details_[state.info].spec.name_number : state.name_number;
  }
  // What sh_info names, or its value; kind_of() has its form.
  [[nodiscard]] u32 info_number_of(const State &state) const {
    return state.kind == kDetailed ? number_in(details_[state.info].spec.info) : state.info;
  }
  [[nodiscard]] InfoField info_of(const State &state) const {
    const auto &form = kind_of(state).info.value();
    const u32 number = info_number_of(state);
    if (std::holds_alternative<u32>(form))
      return InfoField(number);
    if (std::holds_alternative<SectionId>(form))
      return InfoField(SectionId(number));
    return InfoField(SymbolId(number), std::get<InfoField::SymbolNumber>(form).top_byte);
  }
  [[nodiscard]] SectionSpec spec_of(const State &state) const;

  [[nodiscard]] const StringIndex *names() const { return names_; }
  // The same names, which from here on are kept here and asked for by number only.
  void keep_names(std::unique_ptr<StringIndex> names) {
    names->stop_finding();
    kept_names_ = std::move(names);
    names_ = kept_names_.get();
  }

private:
  class KindIndex;
  // The kinds that were added last.
  struct RecentKinds {
    static constexpr u32 kSlots = 32;
    struct Slot {
      SectionSpec kind;
      u32 number = kDetailed;
    };
    std::array<Slot, kSlots> slots;
  };

  [[nodiscard]] static u32 number_in(const InfoField &info) {
    const auto &value = info.value();
    if (const u32 *number = std::get_if<u32>(&value))
      return *number;
    if (const SectionId *section = std::get_if<SectionId>(&value))
      return section->value;
    return std::get<InfoField::SymbolNumber>(value).symbol.value;
  }
  [[nodiscard]] static u64 hash_of_kind(const SectionSpec &spec) {
    const u64 small = u64{spec.link.value} << 32 ^ static_cast<u64>(spec.type) << 8 ^
                      u64 { spec.emitted } << 4 ^ spec.info.value().index() ^ spec.entsize << 16;
    return ((spec.flags * 0x9e3779b97f4a7c15 ^ small) * 0xff51afd7ed558ccd ^ spec.align) *
           0xc4ceb9fe1a85ec53;
  }
  [[nodiscard]] static bool is_kind(const SectionSpec &kind, const SectionSpec &spec) {
    return kind.type == spec.type && kind.flags == spec.flags && kind.align == spec.align &&
           kind.entsize == spec.entsize && kind.link == spec.link && kind.emitted == spec.emitted &&
           kind.bucket == spec.bucket && kind.info.value().index() == spec.info.value().index() &&
           top_byte(kind.info) == top_byte(spec.info);
  }
  [[nodiscard]] static u8 top_byte(const InfoField &info) {
    const auto *symbol = std::get_if<InfoField::SymbolNumber>(&info.value());
    return symbol ? symbol->top_byte : u8{0};
  }
  u32 number_of_recent_kind(const SectionSpec &spec) {
    const u64 hash = hash_of_kind(spec);
    RecentKinds::Slot &slot = recent_.slots[hash >> 59];
    if (slot.number == kDetailed || !is_kind(slot.kind, spec)) [[unlikely]]
      slot = find_or_add_kind(spec);
    return slot.number;
  }
  // Threads may do so at the same time.
  [[nodiscard]] RecentKinds::Slot find_or_add_kind(const SectionSpec &spec);
  void grow(u32 id, u64 size);

  const StringIndex *names_;
  std::unique_ptr<const StringIndex> kept_names_;
  RawVector<State> states_;
  std::vector<SectionSpec> kinds_;
  std::unique_ptr<KindIndex> index_; // of the kinds
  RecentKinds recent_;               // of add()
  std::vector<Detail> details_;
  EntryLists<Piece> pieces_;
};

} // namespace culink::elf
