// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "elf/elf_builder.h"
#include "elf/loaded_segment.h"

namespace culink::elf {

// Decides every number and offset of a file (elf_layout.cc, elf_place.cc).
class ElfLayouter {
public:
  ElfLayouter(const ElfBuilder &writer, SymbolNumbers numbers, WorkerPool &pool)
      : writer_(writer), pool_(pool) {
    layout_.symbol_order = std::move(numbers.order);
    layout_.symbol_number = std::move(numbers.of);
    layout_.symbol_count = numbers.count;
    layout_.first_global = numbers.first_global;
  }

  [[nodiscard]] Result<ElfLayout> run();

private:
  static constexpr u32 kTogether = PlacedNames::kTogether; // sections or symbols, by one thread
  static constexpr u8 kNoBucket = 255;                     // of sections that are not emitted
  static constexpr u32 kNoString = 0xffffffff;
  static constexpr u64 kNotPlaced = ~u64{0};
  using State = BuiltSections::State;
  using Sharing = TableName::Sharing;
  // What sections of one kind have in common.
  struct Kind {
    u8 bucket;
    bool may_be_debug;         // the name says whether the bucket is another
    bool valid = true;         // see check_section
    SectionExtent extent = {}; // but for the size
  };
  // Sections that one thread measures. What the place of the next ones depends on.
  static constexpr u32 kMeasured = 512; // some have long lists
  struct MeasuredRange {
    AlignedRun bytes;     // of all sections
    AlignedRun memory;    // of those without file data in the segment that has it
    bool unusual = false; // one of them, and each has to be looked at
    bool valid = true;
  };
  using BucketCounts = std::array<u32, kNoBucket + 1>;
  void order_sections();
  void read_kinds();
  [[nodiscard]] static u8 bucket_of(const SectionSpec &spec);
  [[nodiscard]] u8 bucket_of(const State &state) const;
  void name_sections_in_use();
  [[nodiscard]] RawVector<u8> read_buckets(std::vector<BucketCounts> &counts);
  [[nodiscard]] u32 symbol_at(u32 position) const {
    return layout_.symbol_order.empty() ? position : layout_.symbol_order[position];
  }
  [[nodiscard]] TableName given_name(u32 section) const;
  [[nodiscard]] std::vector<u32> order_strings() const;
  [[nodiscard]] bool name_symbols();
  void place_symbol_names(const u32 *offsets);
  void place_late_names(const u32 *offsets);
  [[nodiscard]] TableName own_name(u32 symbol) const;
  [[nodiscard]] bool names_absent_section(u32 symbol) const;
  [[nodiscard]] Error absent_section() const;
  void measure_kinds();
  [[nodiscard]] bool is_absent(SectionId id) const {
    return id.valid() && layout_.section_index[id.value] == 0;
  }
  [[nodiscard]] bool is_valid(const SectionSpec &kind) const;
  [[nodiscard]] bool is_valid_info(const InfoField &form, u32 number) const;
  [[nodiscard]] bool is_valid(const BuiltSections::Detail &detail, const State &state) const;
  [[nodiscard]] std::optional<Error> check_section(u32 id) const;
  [[nodiscard]] std::optional<Error> measure_sections();
  [[nodiscard]] SectionExtent extent_of(const SectionSpec &spec) const;
  [[nodiscard]] bool measure(const State &state, SectionExtent &extent) const;
  [[nodiscard]] u8 loads_of(const SectionSpec &spec) const;
  void place_contents();
  [[nodiscard]] u64 place_ranges(std::vector<u64> &starts);
  void place_sections(std::span<const u64> starts);
  [[nodiscard]] u64 place(u32 position, SectionExtent extent, u64 &cursor) const;
  [[nodiscard]] u64 place_unusual(u32 position, u64 &cursor) const;
  void add_memory(u32 position, u64 &cursor) const;
  void place_sharing();
  void place_tables(u64 contents_end);
  void plan_segments();

  [[nodiscard]] bool wide() const { return writer_.options_.elf_class == ElfClass::Elf64; }
  [[nodiscard]] bool compact() const { return writer_.options_.compact; }
  [[nodiscard]] bool classic() const { return writer_.options_.segments == SegmentRule::Classic; }
  void measure_tables();

  const ElfBuilder &writer_;
  WorkerPool &pool_;
  ElfLayout layout_;
  std::vector<Kind> kinds_;                 // as BuiltSections::kinds()
  std::vector<std::string_view> old_names_; // by SectionId, or none
  RawVector<SectionExtent> extents_;        // by position in the file
  std::vector<MeasuredRange> measured_;     // ranges of kMeasured of them
  std::vector<LoadedSegment> loads_;        // segments known so far
};

} // namespace culink::elf
