// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "link/relocs/classify_relocs.h"
#include "link/relocs/reloc_source.h"

namespace culink {

struct RelocEntry {
  const RelocSource &source;
  const elf::Relocation &raw;
  u64 offset; // in the output section
  const arch::RelocInfo *row;
  const RelocTarget &target;
};

// A loop over relocations in output order, which fills the lists of a plan.
class RelocationReader {
public:
  RelocationReader(const RelocationContext &context, Diagnostics &diag)
      : c_(context), diag_(diag) {}

  void read_slice(const RelocationSlice &slice);
  void read_copied_constants();
  RelocationPlan take() { return std::move(plan_); }

private:
  void read_table(const RelocSource &source);
  [[nodiscard]] RelocTarget target_of(const RelocSource &source, u32 symbol) const;
  void read_entry(const RelocEntry &entry);
  void keep(const RelocEntry &entry);
  void keep_image(const RelocEntry &entry);
  void store(const RelocEntry &entry, arch::FieldValue value, bool image_slot = false);
  void fold(const RelocEntry &entry);
  void fold_addend(const RelocEntry &entry);
  void fold_image(const RelocEntry &entry);
  void refuse(const RelocEntry &entry);
  void report_outside(const RelocEntry &entry);
  void report_range(const RelocEntry &entry, u64 value);
  [[nodiscard]] u64 addend_shift(const RelocEntry &entry) const;

  const RelocationContext &c_;
  Diagnostics &diag_;
  RelocationPlan plan_;
};

} // namespace culink
