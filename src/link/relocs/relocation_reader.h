// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <utility>

#include "link/emulate/emulated_errors.h"
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

// A loop over relocations in output order, which fills the lists of a plan.
class RelocationReader {
public:
  RelocationReader(const RelocationContext &context, Diagnostics &diag)
      : c_(context), executable_(context.program.policy.executable),
        checks_ranges_(!emulate::truncates_values(context.program)), diag_(diag) {}

  void reserve(u64 bytes_of_tables) {
    constexpr u64 kSmallestEntry = 16;
    plan_.kept.reserve(bytes_of_tables / kSmallestEntry); // what is not used is not touched either
  }
  void read_group(const RelocationGroup &group) { read_slices(group, group.newest, kNoIndex); }
  // A slice of a group and older ones, `most` in all.
  void read_slices(const RelocationGroup &group, u32 newest, u32 most);
  void read_copied_constants();
  RelocationPlan take() { return std::move(plan_); }

private:
  void read_table(const RelocSource &source);
  void read(const RelocSource &source, const elf::Relocation &raw, const RelocTarget &target);
  [[gnu::noinline]] void read_other(RelocAction action, const RelocEntry &entry);
  void keep(const RelocEntry &entry);
  [[gnu::noinline]] void keep_with_field(const RelocEntry &entry, KeptRelocation out);
  void keep_image(const RelocEntry &entry);
  void store(const RelocEntry &entry, arch::FieldValue value);
  void fold(const RelocEntry &entry);
  void fold_addend(const RelocEntry &entry);
  void fold_image(const RelocEntry &entry);
  void refuse(const RelocEntry &entry);
  void report_outside(const RelocEntry &entry);
  void report_range(const RelocEntry &entry, u64 value);
  [[nodiscard]] u64 addend_shift(const RelocEntry &entry) const;
  [[gnu::noinline]] [[nodiscard]] u64 moved_addend_shift(const RelocEntry &entry) const;

  const RelocationContext &c_;
  const bool executable_;
  const bool checks_ranges_;
  const arch::RelocRows rows_;
  Diagnostics &diag_;
  RelocationPlan plan_;
};

} // namespace culink
