// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "support/mapped_file.h"

#include <atomic>
#include <filesystem>
#include <sys/mman.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>

#include "support/bytes.h"
#include "support/output_file.h"

namespace culink {
namespace {

namespace fs = std::filesystem;

class MappedFiles : public ::testing::Test {
protected:
  MappedFiles() {
    std::string name = fs::temp_directory_path() / "culink_mapped.XXXXXX";
    folder_ = ::mkdtemp(name.data());
  }
  ~MappedFiles() override { fs::remove_all(folder_); }

  [[nodiscard]] std::string path(const std::string &name) const { return folder_ / name; }

  fs::path folder_;
};

std::string trouble(const Result<MappedFile> &file) {
  return file ? "" : file.error().text();
}

TEST_F(MappedFiles, have_the_bytes_of_files) {
  ASSERT_FALSE(write_file(path("x"), as_bytes("text")));
  const Result<MappedFile> file = MappedFile::open(path("x"), FileType::Regular);
  ASSERT_TRUE(file);
  EXPECT_EQ(as_text(file->bytes()), "text");
  EXPECT_TRUE(MappedFile::open("/dev/null"));
}

bool is_mapped(const u8 *page) {
  unsigned char in_memory = 0;
  return ::mincore(const_cast<u8 *>(page), 1, &in_memory) == 0;
}

TEST_F(MappedFiles, are_unmapped_when_they_are_gone) {
  ASSERT_FALSE(write_file(path("file"), as_bytes("a")));
  const u8 *bytes = MappedFile::open(path("file"))->bytes().data();
  EXPECT_FALSE(is_mapped(bytes));
}

TEST_F(MappedFiles, are_not_endless) {
  EXPECT_EQ(trouble(MappedFile::open("/dev/zero")), "is a device");
}

// Opening it would wait for somebody who writes.
TEST_F(MappedFiles, are_regular_if_that_is_asked_for) {
  ASSERT_EQ(::mkfifo(path("pipe").c_str(), 0600), 0);
  EXPECT_EQ(trouble(MappedFile::open(path("pipe"), FileType::Regular)), "is not a regular file");
  EXPECT_EQ(trouble(MappedFile::open("/dev/null", FileType::Regular)), "is not a regular file");
}

TEST_F(MappedFiles, that_become_shorter_are_an_error_with_a_name) {
  ASSERT_FALSE(write_file(path("a\x1b[1mx"), as_bytes("text")));
  const auto read_shortened = [&] {
    end_when_files_shrink();
    const Result<MappedFile> file = MappedFile::open(path("a\x1b[1mx"));
    const volatile u8 *byte = file->bytes().data();
    ::_exit(::truncate(path("a\x1b[1mx").c_str(), 0) == 0 && *byte == 't' ? 7 : 8);
  };
  EXPECT_EXIT(read_shortened(), ::testing::ExitedWithCode(1),
              "error: .*culink_mapped.*/a.\\[1mx: became shorter while it was read");
}

// A second thread must not be killed while the first says what happened.
TEST_F(MappedFiles, that_become_shorter_are_an_error_for_all_threads) {
  const auto read_shortened = [&] {
    end_when_files_shrink();
    const Result<MappedFile> file = MappedFile::open(path("x"));
    const volatile u8 *byte = file->bytes().data();
    std::atomic<bool> shorter = false;
    std::vector<std::thread> threads;
    for (int i = 0; i < 8; ++i)
      threads.emplace_back([&] {
        while (!shorter)
          continue;
        static_cast<void>(*byte);
      });
    shorter = ::truncate(path("x").c_str(), 0) == 0;
    for (std::thread &thread : threads)
      thread.join();
    ::_exit(8);
  };
  for (int i = 0; i < 10; ++i) {
    ASSERT_FALSE(write_file(path("x"), as_bytes("text")));
    EXPECT_EXIT(read_shortened(), ::testing::ExitedWithCode(1), "x: became shorter");
  }
}

} // namespace
} // namespace culink
