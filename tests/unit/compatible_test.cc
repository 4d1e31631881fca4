// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "elf/target/arch.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>
#include <string>
#include <vector>

namespace culink::arch {
namespace {

// What nvlink 13.0.88 accepts, or 13.4.92 for sm_107, from links of every object into every target,
// written out.
const std::map<std::string_view, std::vector<std::string_view>> &accepted_by_nvlink() {
  static const std::vector<std::string_view> k90 = {"sm_90", "sm_90a"};
  static const std::vector<std::string_view> k100 = {"sm_100", "sm_100a", "sm_100f"};
  static const std::vector<std::string_view> k103 = {"sm_100", "sm_100f", "sm_103", "sm_103a",
                                                     "sm_103f"};
  static const std::vector<std::string_view> k107 = {"sm_100",  "sm_100f", "sm_103",
                                                     "sm_103f", "sm_107",  "sm_107f"};
  static const std::vector<std::string_view> k107a = {"sm_100", "sm_100f", "sm_103", "sm_103f",
                                                      "sm_107", "sm_107a", "sm_107f"};
  static const std::vector<std::string_view> k110 = {"sm_110", "sm_110a", "sm_110f"};
  static const std::vector<std::string_view> k120 = {"sm_120", "sm_120a", "sm_120f"};
  static const std::vector<std::string_view> k121 = {"sm_120", "sm_120f", "sm_121", "sm_121a",
                                                     "sm_121f"};
  static const std::map<std::string_view, std::vector<std::string_view>> table = {
      {"sm_75", {"sm_75"}}, {"sm_80", {"sm_80"}}, {"sm_86", {"sm_80", "sm_86"}},
      {"sm_87", {"sm_87"}}, {"sm_88", {"sm_88"}}, {"sm_89", {"sm_80", "sm_86", "sm_89"}},
      {"sm_90", k90},       {"sm_90a", k90},      {"sm_100", k100},
      {"sm_100a", k100},    {"sm_100f", k100},    {"sm_103", k103},
      {"sm_103a", k103},    {"sm_103f", k103},    {"sm_110", k110},
      {"sm_110a", k110},    {"sm_110f", k110},    {"sm_120", k120},
      {"sm_120a", k120},    {"sm_120f", k120},    {"sm_121", k121},
      {"sm_121a", k121},    {"sm_121f", k121},    {"sm_107", k107},
      {"sm_107a", k107a},   {"sm_107f", k107},
  };
  return table;
}

TEST(Compatible, WholeMatrixIsThatOfNvlink) {
  ASSERT_EQ(accepted_by_nvlink().size(), all_archs().size());
  for (const ArchInfo &target : all_archs()) {
    const auto &accepted = accepted_by_nvlink().at(target.name);
    for (const ArchInfo &object : all_archs()) {
      const bool expected =
          std::find(accepted.begin(), accepted.end(), object.name) != accepted.end();
      EXPECT_EQ(can_link(object, target, 130), expected) << object.name << " for " << target.name;
    }
  }
}

// From links of capmerc objects whose Mercury sections were removed and whose kind was changed.
TEST(Compatible, PlainSassOfMercuryTargetsIsThatOfNvlink) {
  for (const ArchInfo &target : all_archs())
    for (const ArchInfo &object : all_archs()) {
      bool expected = can_link(object, target, 130);
      if (target.number >= 100) {
        const bool into_f = target.letter == 'f';
        const bool from_a = object.letter == 'a';
        if (object.number == target.number)
          expected = target.number == 107 ? !from_a || target.letter == 'a' : !(from_a && into_f);
        else if (target.number == 121 && object.number == 120)
          expected = !from_a && !into_f;
        else
          expected = false;
      }
      EXPECT_EQ(can_link(object, CodeKind::Sass, target, 130), expected)
          << object.name << " for " << target.name;
    }
}

// The whole matrix again with nvlink 13.2 to 13.4: these pairs are new, and nothing else.
TEST(Compatible, OlderAmpereCodeRunsOnNewerSince13_2) {
  const std::vector<std::pair<std::string_view, std::string_view>> added = {
      {"sm_80", "sm_87"}, {"sm_86", "sm_87"}, {"sm_80", "sm_88"}, {"sm_86", "sm_88"},
      {"sm_87", "sm_88"}, {"sm_87", "sm_89"}, {"sm_88", "sm_89"}};
  for (const ArchInfo &target : all_archs())
    for (const ArchInfo &object : all_archs()) {
      const bool is_new =
          std::find(added.begin(), added.end(), std::pair(object.name, target.name)) != added.end();
      EXPECT_EQ(can_link(object, target, 131), can_link(object, target, 130));
      EXPECT_EQ(can_link(object, target, 132), is_new || can_link(object, target, 130))
          << object.name << " for " << target.name;
    }
}

TEST(Compatible, EveryRowNamesKnownTargetsAndIsReachable) {
  for (const CompatibleRow &row : compatible_rows()) {
    const ArchInfo *target = find_arch(row.target);
    const ArchInfo *object = find_arch(row.object);
    ASSERT_TRUE(target && object) << row.target << ' ' << row.object;
    EXPECT_TRUE(can_link(*object, *target, 134)) << row.target << ' ' << row.object;
    EXPECT_EQ(row.capmerc != Letters::None, target->has_mercury_plane);
  }
}

} // namespace
} // namespace culink::arch
