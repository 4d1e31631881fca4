// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "elf/name_offsets.h"

#include <map>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace culink::elf {
namespace {

using Sharing = TableName::Sharing;
using Name = TableName;

struct Placed {
  std::vector<u32> offsets;
  std::string table;
};

Placed place(const std::vector<Name> &names, const StringIndex *numbered) {
  const PlacedNames placed = place_names(numbered, static_cast<u32>(names.size()),
                                         [&](u32 position) { return names[position]; });
  Placed result{{placed.offsets.begin(), placed.offsets.end()}, std::string(placed.size, '\0')};
  for (u32 range = 0; range < placed.range_count(); ++range)
    placed.write(range, reinterpret_cast<u8 *>(result.table.data()));
  return result;
}

// What a table is when names are added one by one.
Placed place_one_by_one(const std::vector<Name> &names) {
  Placed out{{}, std::string(1, '\0')};
  std::map<std::string_view, u32> known;
  u32 blank = 0;
  for (const Name &name : names) {
    u32 next = static_cast<u32>(out.table.size());
    u32 offset = next;
    if (name.sharing == Sharing::None || (name.sharing == Sharing::Equal && name.text.empty()))
      offset = 0;
    else if (name.sharing == Sharing::Blank)
      offset = blank = blank != 0 ? blank : next;
    else if (name.sharing == Sharing::Equal)
      offset = known.try_emplace(name.text, next).first->second;
    if (offset == next)
      out.table += (name.sharing == Sharing::Blank ? std::string() : std::string(name.text)) + '\0';
    out.offsets.push_back(offset);
  }
  return out;
}

TEST(PlaceNames, FewNames) {
  const std::vector<Name> names = {
      {"a"}, {""}, {"ba"}, {"a"}, {"a", kNoNumber, Sharing::Separately}};
  const Placed placed = place(names, nullptr);
  EXPECT_EQ(placed.offsets, (std::vector<u32>{1, 0, 3, 1, 6}));
  EXPECT_EQ(placed.table, std::string("\0a\0ba\0a\0", 8));
}

TEST(PlaceNames, NumbersAndTextsMeet) {
  StringIndex numbered;
  numbered.insert(".text.f");
  numbered.insert(".text.g");
  const std::vector<Name> names = {{".text.g", 1}, {"f"}, {".text.f"}, {".text.f", 0}, {".text.g"}};
  const Placed placed = place(names, &numbered);
  EXPECT_EQ(placed.offsets, (std::vector<u32>{1, 9, 11, 11, 1}));
}

TEST(PlaceNames, ManyNames) {
  constexpr u32 kCount = 100'000;
  std::vector<std::string> texts;
  for (u32 i = 0; i < kCount / 3; ++i)
    texts.push_back((i % 2 == 0 ? ".section." : "symbol_") + std::to_string(i * 7919));
  StringIndex numbered;
  for (u32 i = 0; i < texts.size(); i += 2)
    numbered.insert(texts[i]);
  std::vector<Name> names;
  for (u32 i = 0; i < kCount; ++i) {
    const u32 text = static_cast<u32>(u64{i} * 40'503 % texts.size());
    Name name{texts[text]};
    if (text % 2 == 0 && i % 3 != 0)
      name.number = text / 2;
    if (i % 101 == 0)
      name = {"", kNoNumber, i % 202 == 0 ? Sharing::Blank : Sharing::None};
    else if (i % 103 == 0)
      name.sharing = Sharing::Separately;
    names.push_back(name);
  }
  const Placed expected = place_one_by_one(names);
  const Placed placed = place(names, &numbered);
  EXPECT_EQ(placed.offsets, expected.offsets);
  EXPECT_EQ(placed.table, expected.table);
}

} // namespace
} // namespace culink::elf
