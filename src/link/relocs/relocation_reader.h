// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <utility>

#include "link/relocs/classify_relocs.h"
#include "link/relocs/reloc_source.h"

namespace culink {

// One relocation on the less usual paths.
struct RelocEntry {
  const RelocSource &source;
  elf::Relocation raw;
  u64 offset; // in the output section
  const arch::RelocInfo *row;
  const RelocTarget &target;
};

// A list of a plan while it grows. It has elements in store that nobody has assigned or touched.
template <typename List> class GrowingList {
public:
  using Element = typename List::value_type;

  void make_room(size_t more) {
    if (static_cast<size_t>(end_ - next_) < more) [[unlikely]]
      grow(more);
  }
  // The next element, whose fields the caller assigns. There must be room.
  [[nodiscard]] Element &next() { return *next_++; }
  void add(const Element &element) { next() = element; }
  [[nodiscard]] Element &last() { return next_[-1]; }
  [[nodiscard]] List take() {
    list_.resize(used());
    next_ = end_ = nullptr;
    return std::move(list_);
  }

private:
  [[nodiscard]] size_t used() const { return static_cast<size_t>(next_ - list_.data()); }
  [[gnu::noinline]] void grow(size_t more) {
    const size_t count = used();
    list_.resize(std::max(2 * list_.size(), count + more));
    next_ = list_.data() + count;
    end_ = list_.data() + list_.size();
  }

  List list_;
  Element *next_ = nullptr; // behind those that are used
  Element *end_ = nullptr;
};

// A loop over relocations in output order, which fills the lists of a plan.
class RelocationReader {
public:
  RelocationReader(const RelocationContext &context, Diagnostics &diag)
      : c_(context), executable_(context.program.policy.executable),
        emulates_(context.program.policy.emulates_nvlink),
        checks_ranges_(!context.program.policy.truncates_values), diag_(diag) {}

  // For tables with so many entries in all.
  void reserve(u64 entries) {
    kept_.make_room(entries);
    folded_.make_room(entries);
  }
  void read_group(const RelocationGroup &group) { read_slices(group, group.newest, kNoIndex); }
  // A slice of a group and older ones, `most` in all.
  void read_slices(const RelocationGroup &group, u32 newest, u32 most);
  void read_copied_constants();
  RelocationPlan take() { return {kept_.take(), folded_.take()}; }

private:
  // What entries of a table against one symbol have in common.
  struct Run {
    RelocTarget target;
    u32 symbol = kNoIndex;
    bool drops = false;           // no rule applies to them
    bool ignores = false;         // what the rules drop is dropped
    bool keeps = false;           // kept ones have their addend and `addend_shift`
    bool folds = false;           // folded ones the same and `value`
    bool implicit_addend = false; // and what their field holds
  };

  void read_table(const RelocSource &source);
  [[gnu::noinline]] void begin_run(const RelocSource &source, u32 symbol, Run &run) const;
  KeptRelocation &keep_as_is(OutId table, u32 type, u64 offset, const RelocTarget &target,
                             u64 addend);
  FoldedRelocation &fold_as_is(const RelocSource &source, u64 offset, const arch::RelocInfo *row,
                               bool implicit_addend, arch::FieldValue value);
  [[gnu::noinline]] void read_other(RelocAction action, const RelocEntry &entry);
  void keep(const RelocEntry &entry);
  void keep_image(const RelocEntry &entry);
  void store(const RelocEntry &entry, arch::FieldValue value);
  void fold(const RelocEntry &entry);
  void fold_addend(const RelocEntry &entry);
  void fold_image(const RelocEntry &entry);
  void refuse(const RelocEntry &entry);
  void report_outside(const RelocEntry &entry);
  void report_range(const RelocEntry &entry, u64 value);
  [[nodiscard]] u64 addend_shift(const RelocEntry &entry) const;

  const RelocationContext &c_;
  const bool executable_;
  const bool emulates_; // a release of nvlink, which takes what no compiler writes
  const bool checks_ranges_;
  Diagnostics &diag_;
  Run runs_[2]; // of the table that is read
  GrowingList<KeptRelocations> kept_;
  GrowingList<FoldedRelocations> folded_;
};

} // namespace culink
