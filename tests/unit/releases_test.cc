// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "driver/options/dialects.h"

#include <gtest/gtest.h>

namespace culink {
namespace {

TEST(Releases, TheNewestRowThatIsNotNewerIsFound) {
  EXPECT_EQ(find_release(131).toolkit, 131u);
  EXPECT_EQ(find_release(129).toolkit, 124u);
  EXPECT_EQ(find_release(118).toolkit, 124u); // older than all rows
  EXPECT_EQ(find_release(199).toolkit, 135u);
}

TEST(Releases, OwnFilesLookLikeThoseOfTheNewestObject) {
  EXPECT_EQ(dialect_for(own_dialect(), "", 133, *arch::find_arch("sm_90")).release.toolkit, 133u);
  EXPECT_EQ(dialect_for(nvlink_13_0_88(), "", 129, *arch::find_arch("sm_90")).release.toolkit,
            130u);
}

TEST(Releases, OldTargetsHaveTheOldForm) {
  const arch::ArchInfo &hopper = *arch::find_arch("sm_90"), &blackwell = *arch::find_arch("sm_100");
  for (const u32 toolkit : {118u, 124u, 129u}) {
    const Release release = dialect_for(own_dialect(), "", toolkit, hopper).release;
    EXPECT_TRUE(release.old_abi);
    EXPECT_EQ(release.toolkit, toolkit);
  }
  EXPECT_EQ(dialect_for(own_dialect(), "", 98, hopper).release.toolkit, 118u); // older than any
  EXPECT_FALSE(dialect_for(own_dialect(), "", 130, hopper).release.old_abi);
  EXPECT_FALSE(dialect_for(own_dialect(), "", 129, blackwell).release.old_abi);
  EXPECT_FALSE(dialect_for(own_dialect(), "12.4", 129, blackwell).release.old_abi);
  EXPECT_FALSE(dialect_for(own_dialect(), "", 0, hopper).release.old_abi); // a link of nothing
  EXPECT_EQ(dialect_for(own_dialect(), "12.4", 118, hopper).release.toolkit, 124u);
}

TEST(Releases, AnotherReleaseCanBeChosen) {
  EXPECT_EQ(dialect_for(own_dialect(), "13.2", 130, *arch::find_arch("sm_90")).release.toolkit,
            132u);
  EXPECT_EQ(dialect_for(own_dialect(), "13.2", 134, *arch::find_arch("sm_90")).release.toolkit,
            132u);
  EXPECT_EQ(known_dialects().back(), "13.5");
  for (const std::string &name : known_dialects()) {
    LinkRequest request;
    request.dialect = name;
    Diagnostics diag;
    EXPECT_EQ(choose_dialect(request, diag), &own_dialect()) << name;
    request.emulate = "nvlink-13.0.88";
    EXPECT_EQ(choose_dialect(request, diag), nullptr) << name;
  }
}

// A linker writes files of its own release, and takes the objects of no newer one.
TEST(Releases, EachLinkerIsOfItsRelease) {
  for (const std::string_view name : emulated_linkers()) {
    const Dialect *row = find_dialect(name);
    ASSERT_TRUE(row) << name;
    EXPECT_EQ(row->release.toolkit, row->newest_toolkit) << name;
    const u32 toolkit = row->release.toolkit;
    const std::string program = row->tool_options.empty() ? "nvlink-" : "nvjitlink-";
    EXPECT_TRUE(name.starts_with(program + std::to_string(toolkit / 10) + "." +
                                 std::to_string(toolkit % 10)))
        << name;
  }
}

} // namespace
} // namespace culink
