// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "input/fatbin.h"

#include <gtest/gtest.h>

#include <fstream>
#include <random>
#include <sstream>
#include <tuple>

#include "driver/options/dialects.h"

namespace culink {
namespace {

// "elf90a", "ptx80", "lto90/gho".
FatbinEntry member(const std::string &words) {
  FatbinEntry out;
  const std::string text = words.substr(0, words.find('/'));
  const std::string marks = words.substr(text.size());
  out.kind = text.starts_with("elf")   ? FatbinKind::Elf
             : text.starts_with("ptx") ? FatbinKind::Ptx
                                       : FatbinKind::Lto;
  out.sm = static_cast<u32>(std::stoul(text.substr(3)));
  out.flags = marks.find('h') == std::string::npos ? FatbinFlags::kIs64Bit : 0;
  out.flags |= marks.find('g') == std::string::npos ? 0 : FatbinFlags::kDebug;
  out.flags |= marks.find('o') == std::string::npos ? FatbinFlags::kLinux : 0;
  out.flags |= text.ends_with('a') ? FatbinFlags::kArchSpecific : 0;
  out.flags |= text.ends_with('f') && text != "elf" ? FatbinFlags::kFamilySpecific : 0;
  return out;
}

std::vector<FatbinEntry> members(const std::vector<std::string> &texts) {
  std::vector<FatbinEntry> out;
  for (const std::string &text : texts)
    out.push_back(member(text));
  return out;
}

std::string chosen(const std::string &target, const std::vector<std::string> &texts) {
  const std::vector<FatbinEntry> entries = members(texts);
  const arch::ArchInfo *info = arch::find_arch("sm_" + target);
  EXPECT_NE(info, nullptr) << target;
  const FatbinEntry *entry = choose_member(entries, *info, Release{});
  return entry ? texts[static_cast<size_t>(entry - entries.data())] : "none";
}

struct Choice {
  const char *target;
  std::vector<std::string> members;
  const char *expected;
};

TEST(ChooseMember, follows_the_observed_rules) {
  const std::vector<Choice> rows = {
      {"90", {"elf90"}, "elf90"},
      {"90", {"elf80"}, "none"},
      {"89", {"elf80"}, "elf80"},
      {"89", {"elf87"}, "none"},
      {"89", {"elf80", "elf86"}, "elf86"},
      {"89", {"ptx89", "elf80"}, "ptx89"}, // nearer PTX beats older machine code
      {"89", {"ptx80", "elf86"}, "elf86"},
      {"90", {"ptx90", "elf90"}, "elf90"},   // machine code before PTX
      {"90", {"elf90", "elf90a"}, "elf90a"}, // the target's letter does not matter
      {"90a", {"elf90", "ptx90a"}, "elf90"},
      {"90", {"ptx90a"}, "none"}, // chip-specific PTX needs the very target
      {"90a", {"ptx90a", "ptx90"}, "ptx90a"},
      {"100", {"ptx90", "ptx80"}, "ptx90"},
      {"80", {"ptx90"}, "none"},
      {"103", {"elf100a"}, "none"},
      {"103", {"elf100f"}, "elf100f"},
      {"103", {"ptx100f", "ptx90"}, "ptx100f"},
      {"120", {"ptx100f"}, "none"},
      {"121", {"elf120", "elf120f"}, "elf120f"},
      {"103a", {"elf100", "elf103"}, "elf103"},
      {"90", {"lto90"}, "none"},
      {"90", {"lto90", "ptx90"}, "ptx90"},
      {"90", {}, "none"},
  };
  for (const Choice &row : rows)
    EXPECT_EQ(chosen(row.target, row.members), row.expected)
        << row.target << " " << ::testing::PrintToString(row.members);
}

TEST(ChooseMember, takes_the_first_of_equals) {
  const std::vector<FatbinEntry> entries = members({"elf90", "elf90"});
  EXPECT_EQ(choose_member(entries, *arch::find_arch("sm_90"), Release{}), &entries[0]);
  const std::vector<FatbinEntry> older = members({"ptx80", "ptx80"});
  EXPECT_EQ(choose_member(older, *arch::find_arch("sm_90"), Release{}), &older[0]);
}

TEST(ChooseMember, takes_the_last_of_plain_ptx_for_the_very_target) {
  const std::vector<FatbinEntry> entries = members({"ptx90", "ptx90", "ptx80"});
  EXPECT_EQ(choose_member(entries, *arch::find_arch("sm_90"), Release{}), &entries[1]);
  EXPECT_EQ(choose_member(entries, *arch::find_arch("sm_90a"), Release{}), &entries[1]);
}

// Seen with nvlink 13.1 to 13.4 (tests/messages, case member-with-a).
TEST(ChooseMember, keeps_code_for_one_chip_to_that_chip_since_13_1) {
  const std::vector<FatbinEntry> entries = members({"elf90a", "elf90"});
  EXPECT_EQ(choose_member(entries, *arch::find_arch("sm_90"), find_release(130)), &entries[0]);
  EXPECT_EQ(choose_member(entries, *arch::find_arch("sm_90"), find_release(131)), &entries[1]);
  EXPECT_EQ(choose_member(entries, *arch::find_arch("sm_90a"), find_release(131)), &entries[0]);
}

TEST(ChooseMember, takes_older_code_for_sm_87_since_13_2) {
  const std::vector<FatbinEntry> entries = members({"elf80", "ptx80"});
  EXPECT_EQ(choose_member(entries, *arch::find_arch("sm_87"), find_release(131)), &entries[1]);
  EXPECT_EQ(choose_member(entries, *arch::find_arch("sm_87"), find_release(132)), &entries[0]);
}

// 500 random sets, recorded by tests/diff/member_choice.py.
TEST(ChooseMember, agrees_with_nvlink) {
  std::ifstream file(CULINK_SOURCE_DIR "/tests/unit/member_choices.txt");
  size_t rows = 0;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with('#'))
      continue;
    ++rows;
    std::istringstream words(line);
    std::string target, word, answer;
    std::vector<std::string> texts;
    words >> target >> word;
    while (words >> word && word != "|")
      texts.push_back(word);
    words >> answer;
    const std::vector<FatbinEntry> entries = members(texts);
    const arch::ArchInfo *info = arch::find_arch("sm_" + target);
    ASSERT_NE(info, nullptr) << line;
    const FatbinEntry *entry = choose_member(entries, *info, Release{});
    const std::string found = entry ? std::to_string(entry - &entries[0])
                              : choose_lto_member(entries, *info) ? "lto"
                                                                  : "none";
    EXPECT_EQ(found, answer) << line;
  }
  EXPECT_EQ(rows, 500u);
}

TEST(ChooseMember, counts_code_of_64_bits_only) {
  std::vector<FatbinEntry> entries = members({"elf90", "ptx80"});
  entries[0].flags = FatbinFlags::kLinux;
  EXPECT_EQ(choose_member(entries, *arch::find_arch("sm_90"), Release{}), &entries[1]);
}

TEST(ChooseMember, knows_which_lto_code_could_serve) {
  const std::vector<FatbinEntry> entries = members({"lto90"});
  EXPECT_NE(choose_lto_member(entries, *arch::find_arch("sm_90")), nullptr);
  EXPECT_NE(choose_lto_member(entries, *arch::find_arch("sm_100")), nullptr);
  EXPECT_EQ(choose_lto_member(entries, *arch::find_arch("sm_80")), nullptr);
}

// The rule written down a second time, in the form in which it was tested against nvlink.
struct Model {
  static std::pair<int, char> split(const std::string &text) {
    const char last = text.back();
    const bool letter = last == 'a' || last == 'f';
    return {std::stoi(text), letter ? last : '\0'};
  }
  static bool elf_fits(const std::string &target, const std::string &object) {
    const auto [t, unused] = split(target);
    const auto [o, letter] = split(object);
    if (t == o)
      return true;
    if (letter == 'a')
      return false;
    const std::vector<std::tuple<int, char, int>> cross = {
        {80, '\0', 86},  {80, '\0', 89},   {86, '\0', 89}, {100, '\0', 103},
        {100, 'f', 103}, {120, '\0', 121}, {120, 'f', 121}};
    return std::find(cross.begin(), cross.end(), std::tuple(o, letter, t)) != cross.end();
  }
  static int family(int number) {
    return number == 100 || number == 103   ? 100
           : number == 120 || number == 121 ? 120
           : number == 110                  ? 110
                                            : number;
  }
  static bool ptx_fits(const std::string &target, const std::string &object) {
    const auto [t, unused] = split(target);
    const auto [o, letter] = split(object);
    if (letter == 'a')
      return target == object;
    return o <= t && (letter != 'f' || (t >= 100 && family(t) == family(o)));
  }
  static std::string choose(const std::string &target, const std::vector<std::string> &texts) {
    std::string best = "none";
    std::tuple<int, bool, int> best_rank{-1, false, 0};
    for (const std::string &text : texts) {
      const bool elf = text.starts_with("elf");
      const std::string object = text.substr(3);
      if (!(elf ? elf_fits(target, object) : ptx_fits(target, object)))
        continue;
      const auto [number, letter] = split(object);
      const std::tuple<int, bool, int> rank{number, elf, letter == 'a' ? 2 : letter == 'f' ? 1 : 0};
      if (rank > best_rank) {
        best_rank = rank;
        best = text;
      }
    }
    return best;
  }
};

TEST(ChooseMember, agrees_with_the_rule_on_random_sets) {
  const std::vector<std::string> archs = {"80",   "86",   "89",   "90",   "90a",
                                          "100",  "100a", "100f", "103",  "103a",
                                          "103f", "120",  "120a", "120f", "121"};
  std::vector<std::string> all;
  for (const std::string &arch : archs) {
    all.push_back("elf" + arch);
    all.push_back("ptx" + arch);
  }
  std::mt19937 random(7);
  for (int i = 0; i < 5000; ++i) {
    std::shuffle(all.begin(), all.end(), random);
    const std::vector<std::string> some(all.begin(),
                                        all.begin() + 1 + static_cast<int>(random() % 6));
    const std::string target = archs[random() % archs.size()];
    EXPECT_EQ(chosen(target, some), Model::choose(target, some))
        << target << " " << ::testing::PrintToString(some);
  }
}

TEST(ListMembers, names_what_there_is) {
  EXPECT_EQ(list_members(members({"elf90a", "ptx80", "lto90"})), "sm_90a, compute_80, lto_90");
  EXPECT_EQ(list_members({}), "nothing");
}

} // namespace
} // namespace culink
