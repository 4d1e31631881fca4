// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/output_file.h"

#include <algorithm>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "support/bytes.h"

namespace culink {
namespace {

namespace fs = std::filesystem;

class OutputFiles : public ::testing::Test {
protected:
  OutputFiles() {
    std::string name = fs::temp_directory_path() / "culink_output.XXXXXX";
    folder_ = ::mkdtemp(name.data());
  }
  ~OutputFiles() override { fs::remove_all(folder_); }

  [[nodiscard]] std::string path(const std::string &name) const { return folder_ / name; }
  [[nodiscard]] u64 count() const {
    return static_cast<u64>(std::distance(fs::directory_iterator(folder_), {}));
  }
  static std::string text_of(const std::string &file) {
    std::ifstream in(file);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  fs::path folder_;
};

TEST_F(OutputFiles, appear_when_they_are_committed) {
  ASSERT_FALSE(write_file(path("x"), as_bytes("old")));
  OutputFile file(path("x"));
  EXPECT_TRUE(file.is_temporary());
  file.write(as_bytes("new"));
  EXPECT_EQ(text_of(path("x")), "old");
  EXPECT_FALSE(file.commit());
  EXPECT_EQ(text_of(path("x")), "new");
  EXPECT_EQ(count(), 1u);
}

TEST_F(OutputFiles, can_be_memory_of_their_size) {
  ASSERT_FALSE(write_file(path("x"), as_bytes("old")));
  OutputFile file(path("x"));
  const MutableByteSpan memory = file.map(3);
  ASSERT_EQ(memory.size(), 3u);
  EXPECT_EQ(memory[2], 0);
  std::ranges::copy(as_bytes("new"), memory.begin());
  file.finish();
  EXPECT_EQ(text_of(path("x")), "old");
  EXPECT_FALSE(file.commit());
  EXPECT_EQ(text_of(path("x")), "new");
  EXPECT_EQ(count(), 1u);
}

TEST_F(OutputFiles, are_not_mapped_where_there_is_no_folder_or_space) {
  OutputFile file(path("none/x"));
  EXPECT_TRUE(file.map(100).empty());
  file.write(as_bytes("new"));
  ASSERT_TRUE(file.error());
  EXPECT_NE(file.error()->text().find("cannot create"), std::string::npos);
  EXPECT_TRUE(OutputFile(path("x")).map(u64{1} << 60).empty());
}

TEST_F(OutputFiles, leave_nothing_behind_if_they_are_not) {
  ASSERT_FALSE(write_file(path("x"), as_bytes("old")));
  {
    OutputFile replaced(path("x")), fresh(path("y"));
    replaced.write(as_bytes("new"));
    fresh.write(as_bytes("new"));
  }
  EXPECT_EQ(text_of(path("x")), "old");
  EXPECT_EQ(count(), 1u);
}

TEST_F(OutputFiles, keep_mode_and_symbolic_link_of_what_they_replace) {
  ASSERT_FALSE(write_file(path("x"), as_bytes("old")));
  ASSERT_EQ(::chmod(path("x").c_str(), 0640), 0);
  fs::create_symlink("x", path("link"));
  ASSERT_FALSE(write_file(path("link"), as_bytes("new")));
  EXPECT_TRUE(fs::is_symlink(path("link")));
  EXPECT_EQ(text_of(path("x")), "new");
  EXPECT_EQ(fs::status(path("x")).permissions(), fs::perms(0640));
}

TEST_F(OutputFiles, do_not_run_as_the_owner_of_what_they_replace) {
  ASSERT_FALSE(write_file(path("x"), as_bytes("old")));
  ASSERT_EQ(::chmod(path("x").c_str(), 06755), 0);
  ASSERT_FALSE(write_file(path("x"), as_bytes("new")));
  EXPECT_EQ(fs::status(path("x")).permissions(), fs::perms(0755));
}

TEST_F(OutputFiles, remove_what_a_killed_process_has_left_and_nothing_else) {
  ASSERT_FALSE(write_file(path("x"), as_bytes("old")));
  ASSERT_FALSE(write_file(path("x.culink-tmp.0"), as_bytes("of a living process")));
  ASSERT_FALSE(write_file(path("x.culink-tmp.1"), as_bytes("of a killed one")));
  const int living = ::open(path("x.culink-tmp.0").c_str(), O_RDONLY | O_CLOEXEC);
  ASSERT_EQ(::flock(living, LOCK_EX | LOCK_NB), 0);
  EXPECT_FALSE(write_file(path("x"), as_bytes("new")));
  EXPECT_EQ(text_of(path("x")), "new");
  EXPECT_EQ(text_of(path("x.culink-tmp.0")), "of a living process");
  EXPECT_EQ(count(), 2u);
  ::close(living);
}

TEST_F(OutputFiles, say_at_the_end_what_went_wrong) {
  OutputFile file(path("no folder/x"));
  file.write(as_bytes("new"));
  const std::optional<Error> error = file.commit();
  ASSERT_TRUE(error);
  EXPECT_NE(error->text().find("cannot create"), std::string::npos) << error->text();
}

TEST_F(OutputFiles, appear_together_or_not_at_all) {
  ASSERT_FALSE(write_file(path("old"), as_bytes("old")));
  {
    OutputFile replaced(path("old")), fresh(path("fresh")), last(path("last"));
    for (OutputFile *file : {&replaced, &fresh, &last})
      file->write(as_bytes("new"));
    fs::create_directories(path("last") + "/full"); // which no file can replace
    OutputFile *const files[] = {&replaced, &fresh, &last};
    const std::optional<CommitFailure> failure = commit_all(files);
    ASSERT_TRUE(failure);
    EXPECT_EQ(failure->file, 2u);
  }
  EXPECT_EQ(text_of(path("old")), "old");
  EXPECT_FALSE(fs::exists(path("fresh")));
  EXPECT_EQ(count(), 2u);
}

TEST_F(OutputFiles, are_one_file_whatever_they_are_called) {
  ASSERT_FALSE(write_file(path("x"), as_bytes("x")));
  fs::create_directory(path("folder"));
  fs::create_directory_symlink("folder", path("way"));
  fs::create_symlink("../x", path("folder/link"));
  fs::create_hard_link(path("x"), path("folder/hard"));
  fs::create_symlink("folder/new", path("dangling"));
  for (const char *name : {"./x", "folder/../x", "way/link", "folder/hard"})
    EXPECT_EQ(identify_file(path(name)), identify_file(path("x"))) << name;
  for (const char *name : {"way/new", "./folder//new", "dangling"})
    EXPECT_EQ(identify_file(path(name)), identify_file(path("folder/new"))) << name;
  EXPECT_NE(identify_file(path("new")), identify_file(path("folder/new")));
  EXPECT_NE(identify_file(path("x")), identify_file(path("y")));
  for (const char *name : {"-", "/dev/null"}) // which outputs may share
    EXPECT_FALSE(identify_file(name)) << name;
}

TEST_F(OutputFiles, that_are_no_regular_files_are_written_directly) {
  OutputFile file("/dev/null");
  EXPECT_FALSE(file.is_temporary());
  file.write(as_bytes("new"));
  EXPECT_FALSE(file.commit());
  EXPECT_FALSE(OutputFile("-").is_temporary());
  if (::access("/dev/full", W_OK) == 0) {
    EXPECT_TRUE(write_file("/dev/full", as_bytes("new")));
  }
}

} // namespace
} // namespace culink
