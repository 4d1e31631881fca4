// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The folder of the cache, by itself and among many processes.
#include "compilers/cache/folder.h"

#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "support/bytes.h"

namespace culink {
namespace {

namespace fs = std::filesystem;
constexpr u64 kMuch = u64{1} << 30;

class CacheFolderTest : public testing::Test {
protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "culink-folder-XXXXXX").string();
    ASSERT_TRUE(::mkdtemp(name.data()));
    root_ = name;
    path_ = root_ / "a" / "cache";
  }
  void TearDown() override { fs::remove_all(root_); }

  [[nodiscard]] CacheFolder open(u64 limit = kMuch) const {
    Result<CacheFolder> out = CacheFolder::open(path_.string(), limit);
    EXPECT_TRUE(out) << out.error().text();
    return std::move(*out);
  }
  [[nodiscard]] std::vector<fs::path> files() const {
    std::vector<fs::path> out;
    for (const fs::directory_entry &entry : fs::recursive_directory_iterator(path_ / "v1"))
      if (entry.path().filename().string().size() > 32)
        out.push_back(entry.path());
    return out;
  }

  fs::path root_;
  fs::path path_;
};

Digest name_of(u32 number) {
  return digest_of(as_bytes(std::to_string(number)));
}

std::vector<u8> contents_of(u32 number, size_t size = 3000) {
  return std::vector<u8>(size + number % 7, static_cast<u8>(number));
}

TEST_F(CacheFolderTest, KeepsFiles) {
  const CacheFolder folder = open();
  EXPECT_FALSE(folder.read(name_of(1)));
  const Result<bool> written = folder.write(name_of(1), contents_of(1));
  ASSERT_TRUE(written && *written);
  EXPECT_EQ(folder.read(name_of(1)), contents_of(1));
  EXPECT_EQ(open().read(name_of(1)), contents_of(1));
  EXPECT_EQ(folder.use().entries, 1U);
  folder.remove(name_of(1));
  EXPECT_FALSE(folder.read(name_of(1)));
  ASSERT_TRUE(folder.write(name_of(2), contents_of(2)));
  folder.clear();
  EXPECT_EQ(folder.use().entries, 0U);
}

TEST_F(CacheFolderTest, IsForItsOwnerOnly) {
  [[maybe_unused]] const CacheFolder created = open();
  struct stat info {};
  ASSERT_EQ(::stat(path_.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0700U);
  for (const mode_t mode : {0770, 0702}) {
    ASSERT_EQ(::chmod(path_.c_str(), mode), 0);
    const Result<CacheFolder> refused = CacheFolder::open(path_.string(), kMuch);
    ASSERT_FALSE(refused);
    EXPECT_NE(refused.error().text().find("others can write"), std::string::npos);
  }
  ASSERT_EQ(::chmod(path_.c_str(), 0755), 0);
  EXPECT_TRUE(CacheFolder::open(path_.string(), kMuch));
}

TEST_F(CacheFolderTest, DoesNotUseThatOfAnotherUser) {
  if (::geteuid() != 0)
    GTEST_SKIP() << "only root can give files away";
  [[maybe_unused]] const CacheFolder created = open();
  ASSERT_EQ(::chown(path_.c_str(), 12345, 12345), 0);
  const Result<CacheFolder> refused = CacheFolder::open(path_.string(), kMuch);
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().text().find("another user"), std::string::npos);
}

TEST_F(CacheFolderTest, ThatIsAFileIsAnError) {
  fs::create_directories(path_.parent_path());
  std::ofstream(path_) << "no folder";
  EXPECT_FALSE(CacheFolder::open(path_.string(), kMuch));
}

TEST_F(CacheFolderTest, FollowsNoLinksToFiles) {
  const CacheFolder folder = open();
  ASSERT_TRUE(folder.write(name_of(1), contents_of(1)));
  const fs::path file = files().front(), other = root_ / "other";
  fs::rename(file, other);
  fs::create_symlink(other, file);
  EXPECT_FALSE(folder.read(name_of(1)));
  EXPECT_FALSE(fs::is_symlink(file));
  EXPECT_TRUE(fs::exists(other));
  // Nor does it wait for what is no file at all.
  ASSERT_EQ(::mkfifo(file.c_str(), 0600), 0);
  EXPECT_FALSE(folder.read(name_of(1)));
  ASSERT_TRUE(folder.write(name_of(1), contents_of(1)));
  EXPECT_EQ(folder.read(name_of(1)), contents_of(1));
}

// All in one shard: names with the same first digit.
std::vector<u32> numbers_of_one_shard(size_t count) {
  std::vector<u32> out;
  for (u32 i = 0; out.size() < count; ++i)
    if (name_of(i)[0] >> 4 == 7)
      out.push_back(i);
  return out;
}

TEST_F(CacheFolderTest, RemovesWhatWasNotUsedForLongest) {
  constexpr u64 kFiles = 10;
  const CacheFolder folder = open(kCacheShards * kFiles * 4096);
  const std::vector<u32> numbers = numbers_of_one_shard(kFiles + 1);
  timespec used[2] = {{1'000'000, 0}, {1'000'000, 0}};
  for (size_t i = 0; i < kFiles; ++i) {
    ASSERT_TRUE(folder.write(name_of(numbers[i]), contents_of(numbers[i])));
    const std::string digits = to_hex(name_of(numbers[i]));
    ++used[1].tv_sec;
    ASSERT_EQ(::utimensat(AT_FDCWD, (path_ / "v1" / "7" / digits.substr(1)).c_str(), used, 0), 0);
  }
  EXPECT_TRUE(folder.read(name_of(numbers[0]))); // the first is not the oldest any more
  ASSERT_TRUE(folder.write(name_of(numbers[kFiles]), contents_of(1)));
  EXPECT_LE(folder.use().bytes, kFiles * 4096 * 4 / 5);
  EXPECT_TRUE(folder.read(name_of(numbers[0])));
  EXPECT_TRUE(folder.read(name_of(numbers[kFiles])));
  EXPECT_FALSE(folder.read(name_of(numbers[1])));
}

TEST_F(CacheFolderTest, StaysWithinItsLimit) {
  constexpr u64 kLimit = u64{1} << 20;
  const CacheFolder folder = open(kLimit);
  for (u32 i = 0; i < 2000; ++i) {
    const Result<bool> written = folder.write(name_of(i), contents_of(i));
    ASSERT_TRUE(written && *written);
    if (i % 100 == 99) {
      EXPECT_LE(folder.use().bytes, kLimit);
    }
  }
  EXPECT_GE(folder.use().bytes, kLimit / 2);
  const Result<bool> large = folder.write(name_of(1), std::vector<u8>(kLimit / 8));
  EXPECT_TRUE(large && !*large);
}

// Not every write looks at its shard, but so many do that the folder is never much too large.
TEST_F(CacheFolderTest, StaysNearALimitOfManyFiles) {
  constexpr u64 kLimit = u64{16} << 20, kFiles = 2 * kLimit / 4096;
  const CacheFolder folder = open(kLimit);
  for (u32 i = 0; i < kFiles; ++i)
    ASSERT_TRUE(folder.write(name_of(i), contents_of(i)));
  EXPECT_LE(folder.use().bytes, kLimit + kLimit / 16);
  EXPECT_GE(folder.use().bytes, kLimit / 2);
}

TEST_F(CacheFolderTest, RemovesWhatNobodyWritesAnyMore) {
  const CacheFolder folder = open(kCacheShards * 4096);
  const std::vector<u32> numbers = numbers_of_one_shard(2);
  ASSERT_TRUE(folder.write(name_of(numbers[0]), contents_of(1)));
  const fs::path old = path_ / "v1" / "7" / "tmp.1.2.3", young = path_ / "v1" / "7" / "tmp.1.2.4";
  std::ofstream(old) << "half";
  std::ofstream(young) << "half";
  fs::last_write_time(old, fs::file_time_type::clock::now() - std::chrono::hours(2));
  ASSERT_TRUE(folder.write(name_of(numbers[1]), contents_of(1)));
  EXPECT_FALSE(fs::exists(old));
  EXPECT_TRUE(fs::exists(young));
}

TEST_F(CacheFolderTest, LeavesLargeFilesToThoseWhoMayWriteThem) {
  const CacheFolder folder = open();
  const pid_t child = ::fork();
  if (child == 0) {
    const rlimit small{1000, 1000};
    ::setrlimit(RLIMIT_FSIZE, &small);
    const Result<bool> written = folder.write(name_of(1), contents_of(1));
    ::_exit(written && !*written ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

// What processes do that share a folder: files come and go, but one that is there is whole.
void work_on(const CacheFolder &folder, u32 seed, u32 rounds) {
  for (u32 i = 0; i < rounds; ++i) {
    const u32 number = (seed * 31 + i * 17) % 97;
    const CompilerAnswer answer{contents_of(number, 20'000), {}};
    if (const auto found = folder.read(name_of(number))) {
      const std::optional<CompilerAnswer> back = decode_entry(name_of(number), *found);
      if (!back || back->image != answer.image)
        ::_exit(1);
    }
    const Result<bool> written =
        folder.write(name_of(number), encode_entry(name_of(number), answer.image, {}));
    if (!written)
      ::_exit(2);
  }
}

TEST_F(CacheFolderTest, ServesManyProcessesAtOnce) {
  constexpr u64 kLimit = u64{1} << 20; // small, so that they clean at the same time, too
  std::vector<pid_t> children;
  [[maybe_unused]] const CacheFolder created = open(kLimit);
  for (u32 i = 0; i < 16; ++i) {
    children.push_back(::fork());
    if (children.back() == 0) {
      const Result<CacheFolder> folder = CacheFolder::open(path_.string(), kLimit);
      if (!folder)
        ::_exit(3);
      work_on(*folder, i, 25);
      ::_exit(0);
    }
  }
  for (const pid_t child : children) {
    int status = -1;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  EXPECT_LE(open(kLimit).use().bytes, kLimit + 16 * 24'576);
}

TEST_F(CacheFolderTest, IsWholeAfterProcessesWereKilled) {
  [[maybe_unused]] const CacheFolder created = open();
  for (u32 i = 0; i < 60; ++i) {
    const pid_t child = ::fork();
    if (child == 0) {
      const Result<CacheFolder> folder = CacheFolder::open(path_.string(), kMuch);
      if (folder)
        work_on(*folder, i, 1'000'000);
      ::_exit(1);
    }
    ::usleep(500 + i * 100);
    ::kill(child, SIGKILL);
    int status = -1;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFSIGNALED(status));
  }
  const CacheFolder folder = open();
  u32 found = 0;
  for (u32 number = 0; number < 97; ++number)
    if (const auto entry = folder.read(name_of(number))) {
      ++found;
      EXPECT_TRUE(decode_entry(name_of(number), *entry)) << number;
    }
  EXPECT_GT(found, 0U);
  work_on(folder, 1, 97); // no lock was left behind
}

} // namespace
} // namespace culink
