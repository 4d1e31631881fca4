// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "link/relocs/classify_relocs.h"
#include "link/relocs/reloc_target.h"

namespace culink {

// The origin of relocations: one table of one object, whose entries share an output section.

struct RelocSource {
  const RelocationGroup *group = nullptr; // which output table and output section they go to
  const elf::Section *table = nullptr;    // of the object
  const elf::Section *section = nullptr;  // of the object: what is relocated
  ObjectId object;
  FunctionId function;         // owner of the relocated code, if any
  u64 base = 0;                // of the object's part in the output section
  u64 begin = 0;               // entries before this offset of the section are left out
  u64 end = ~u64{0};           // and those from here on
  u64 output_size = 0;         // of the output section
  bool moves = false;          // parts of sections may have been moved one by one
  bool discarded = false;      // bytes of the section are discarded
  bool about_code = false;     // debug information that is discarded with its function
  bool loses_pointers = false; // constants in which nvlink loses pointers
  bool field_addends = false;  // addends are in the fields, not in the table
  bool loses_addends = false;  // if nvlink loses them where parts of sections have moved
};

[[nodiscard]] RelocSource source_of(const RelocationContext &context, const RelocationSlice &slice);

// Constants of a device function that were copied into a kernel's bank; those in
// [begin, end) of the function's. `group` is the bank.
[[nodiscard]] RelocSource source_of(const RelocationContext &context, const RelocationGroup &group,
                                    const FunctionConstants &constants,
                                    const ConstantRelocations &from, u64 begin, u64 end);

// True if all relocations of the slice belong to a definition of a function that did not prevail:
// are in its code, or in its constants.
[[nodiscard]] bool is_of_overridden_code(const RelocationContext &context,
                                         const RelocationSlice &slice);
[[nodiscard]] bool is_of_overridden_bank(const RelocationContext &context,
                                         const RelocationSlice &slice);

// True if a relocation belongs to something that was discarded, so that no rule applies to it: its
// offset says so, or its symbol.
[[nodiscard]] bool drops_offset(const RelocationContext &context, const RelocSource &source,
                                u64 offset);
[[nodiscard]] bool drops_symbol(const RelocationContext &context, const RelocSource &source,
                                u32 symbol);

// The offset in the output section of what is at `offset` of a section of the object. `base` is
// where the object's part of it starts.
[[nodiscard]] u64 moved_offset(const RelocationContext &context, ObjectId object, u32 section,
                               u64 offset, u64 base);

// The offset of a relocation in the output section.
[[nodiscard]] u64 output_offset(const RelocationContext &context, const RelocSource &source,
                                u64 offset);

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
