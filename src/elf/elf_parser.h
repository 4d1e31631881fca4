// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shared by the two files of the parser, and included by them only.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "base/worker_pool.h"
#include "elf/elf_view.h"
#include "elf/wire.h"

namespace culink::elf {

[[nodiscard]] inline u32 count_ranges(size_t count, u32 grain) {
  return static_cast<u32>((count + grain - 1) / grain);
}

class ElfParser {
public:
  ElfParser(ByteSpan file, WorkerPool &pool) : pool_(pool) { view_.file_ = file; }

  [[nodiscard]] Result<ElfView> run();
  [[nodiscard]] Result<ElfView> run_sections();

private:
  [[nodiscard]] std::optional<Error> read_header();
  template <typename Ehdr> void widen_header(const Ehdr &raw);
  void read_section_table();
  struct Tables;
  template <typename Shdr> void read_sections(const u8 *table);
  template <typename Shdr>
  [[nodiscard]] bool read_range(const u8 *table, u32 begin, u32 end, ByteSpan strings,
                                Tables &tables);
  // What sections must lie inside. A copy of their own lets loops keep it in registers.
  struct Limits {
    ByteSpan file;
    u32 sections;
  };
  [[nodiscard]] static bool is_valid(Section &s, u8 uses, const Limits &limits);
  void correct_sections(ByteSpan strings);
  void correct_section(Section &s);
  void read_segments();
  void check_tables();
  void check_entries(const Section &table, u64 entry);
  void check_symbol_table(const Section &table);
  template <typename Sym>
  [[nodiscard]] bool are_valid(const Section &table, u32 begin, u32 end, u64 names_end) const;
  [[nodiscard]] bool are_valid(const Section &table, const SymbolTable &symbols, u64 names_end);
  void report_symbols(const Section &table, const SymbolTable &symbols, u64 names_end);
  void correct_stale_links();
  void check_extended_indices(const Section &indices);
  void check_relocation_tables();
  using UsedTypes = std::array<bool, ElfView::kOtherTypes + 1>;
  template <typename Rel, typename Rela, typename Sym>
  [[nodiscard]] bool are_valid_tables(std::span<const u32> tables, UsedTypes &types);
  template <typename Rel, u64 kEntry, typename Sym>
  [[nodiscard]] bool is_valid_table(Section &table, UsedTypes &types) const;
  void report_relocation_table(const Section &table);
  [[nodiscard]] u64 relocation_size(const Section &table) const;
  [[nodiscard]] u64 end_of_offsets(const Section &table) const;
  void report_entries(const Section &table, const RelocationTable &raw, u32 symbol_count);

  [[nodiscard]] bool is_64() const { return view_.header_.elf_class() == ElfClass::Elf64; }
  void violation(std::string place, std::string field, std::string message) {
    view_.violations_.push_back({std::move(place), std::move(field), std::move(message)});
  }

  // Sections that are tables, by their numbers.
  struct Tables {
    std::vector<u32> extended, symbols, relocations;
  };

  ElfView view_;
  WorkerPool &pool_;
  std::vector<Tables> tables_; // of ranges of sections
};

} // namespace culink::elf
