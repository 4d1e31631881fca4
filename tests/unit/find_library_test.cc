// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "input/collect.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace culink {
namespace {

class LibrarySearch : public ::testing::Test {
protected:
  void SetUp() override {
    std::string pattern = (std::filesystem::temp_directory_path() / "culink-XXXXXX").string();
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    root_ = pattern;
    for (const char *folder : {"one", "two"})
      std::filesystem::create_directory(root_ / folder);
    for (const char *file : {"one/libx.so", "two/libx.a", "two/liby.a", "one/liby.a"})
      std::ofstream(root_ / file) << "x";
    std::filesystem::create_directory(root_ / "one/libz.a");
  }
  void TearDown() override { std::filesystem::remove_all(root_); }

  [[nodiscard]] std::string path(const char *name) const { return (root_ / name).string(); }

  std::filesystem::path root_;
};

TEST_F(LibrarySearch, takes_archives_from_the_first_folder_that_has_one) {
  const std::vector<std::string> folders = {path("one"), path("two")};
  EXPECT_EQ(find_library("x", folders), path("two/libx.a"));
  EXPECT_EQ(find_library("y", folders), path("one/liby.a"));
  EXPECT_EQ(find_library("y", {path("two/")}), path("two/liby.a"));
  EXPECT_EQ(find_library("z", folders), std::nullopt); // a folder
  EXPECT_EQ(find_library("x", {}), std::nullopt);
}

TEST_F(LibrarySearch, knows_shared_libraries) {
  EXPECT_TRUE(has_shared_library("x", {path("one")}));
  EXPECT_FALSE(has_shared_library("x", {path("two")}));
}

} // namespace
} // namespace culink
