// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "elf/elf_builder.h"
#include "elf/loaded_segment.h"

namespace culink::elf {

// Decides every number and offset of a file (elf_layout.cc, elf_place.cc).
class ElfLayouter {
public:
  ElfLayouter(const ElfBuilder &writer, WorkerPool &pool) : writer_(writer), pool_(pool) {}

  [[nodiscard]] Result<ElfLayout> run();

private:
  static constexpr u32 kTogether = NameOffsets::kTogether; // sections or symbols, by one thread
  static constexpr u8 kNoBucket = 255;                     // of a section that is not emitted
  static constexpr u32 kNoString = 0xffffffff;
  static constexpr u64 kNotPlaced = ~u64{0};
  using BucketCounts = std::array<u32, kNoBucket>;
  void order_sections();
  void name_sections_in_use();
  [[nodiscard]] RawVector<u8> read_sections(NameOffsets &names, std::vector<BucketCounts> &counts);
  [[nodiscard]] std::optional<Error> number_symbols();
  [[nodiscard]] std::vector<u32> order_strings() const;
  void name_symbols();
  [[nodiscard]] bool is_valid(const SymbolSpec &symbol) const;
  [[nodiscard]] Error find_wrong_symbol() const;
  [[nodiscard]] bool is_valid(const ElfBuilder::SectionState &state) const;
  [[nodiscard]] std::optional<Error> check_section(u32 id) const;
  [[nodiscard]] std::optional<Error> measure_sections();
  [[nodiscard]] SectionExtent extent_of(SectionId id) const;
  void place_contents();
  void place_sections(const RawVector<u64> &offsets);
  void place_tables(u64 contents_end);
  [[nodiscard]] u8 loads_of(const SectionSpec &spec) const;
  void plan_segments();

  [[nodiscard]] bool wide() const { return writer_.options_.elf_class == ElfClass::Elf64; }
  [[nodiscard]] bool compact() const { return writer_.options_.compact; }
  [[nodiscard]] bool classic() const { return writer_.options_.segments == SegmentRule::Classic; }
  [[nodiscard]] u64 size_of(SectionId id) const;

  const ElfBuilder &writer_;
  WorkerPool &pool_;
  ElfLayout layout_;
  RawVector<u32> symbol_order_;      // ids of symbols, local ones first
  RawVector<SectionExtent> extents_; // by position in the file
  std::vector<LoadedSegment> loads_; // segments known so far
};

} // namespace culink::elf
