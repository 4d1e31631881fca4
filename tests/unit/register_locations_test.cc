// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compilers/finalize/harvest.h"

#include <algorithm>
#include <gtest/gtest.h>

#include "elf/records/nv_registers.h"
#include "recorded_answers.h"
#include "support/bytes.h"

namespace culink {
namespace {

const elf::Section &section_of(const elf::ElfView &file, const char *name) {
  return *file.find(name);
}

TEST(RegisterLocations, WhatLiesInTheCodeStays) {
  std::vector<u8> file = recorded_bytes("steps.answer");
  const std::vector<u8> before = file;
  clear_unknown_locations(file);
  EXPECT_EQ(file, before);
}

TEST(RegisterLocations, WhatLiesBehindTheCodeIsNoPlace) {
  std::vector<u8> file = recorded_bytes("steps.answer");
  const elf::ElfView view = elf::ElfView::open(file).value();
  const elf::Section &table = section_of(view, ".nv_debug_info_reg_sass");
  const elf::Section &mercury = section_of(view, ".nv.merc.nv_debug_info_reg_sass");
  const elf::RegisterBlock block = elf::split_registers(table.data).front();
  const elf::RegisterBlock origin = elf::split_registers(mercury.data).front();
  // The last place of the last register, in both forms.
  const auto last = std::max_element(
      origin.records.begin(), origin.records.end(), [](const auto &a, const auto &b) {
        return std::pair(a.number, a.start) < std::pair(b.number, b.start);
      });
  const u64 end = block.records.back().offset + sizeof(u32);
  ASSERT_NE(load_le<u32>(table.data.data() + end), 0u);
  const u64 place = table.offset + end, from = mercury.offset + last->offset + sizeof(u32);
  store_le<u32>(file.data() + from, 0x7fffff00);
  std::vector<u8> expected = file;
  store_le<u32>(expected.data() + place, 0);
  clear_unknown_locations(file);
  EXPECT_EQ(file, expected);
}

TEST(RegisterLocations, FilesCutAnywhereAreLeftAlone) {
  const std::vector<u8> whole = recorded_bytes("steps.answer");
  for (size_t size = 0; size < whole.size(); size += 1009) {
    std::vector<u8> part(whole.begin(), whole.begin() + static_cast<i64>(size));
    const std::vector<u8> before = part;
    clear_unknown_locations(part);
    EXPECT_EQ(part, before);
  }
}

} // namespace
} // namespace culink
