// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compilers/finalize/engines.h"

#include <csignal>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "support/types.h"

namespace culink {
namespace {

namespace fs = std::filesystem;

class PrivateFolders : public ::testing::Test {
protected:
  PrivateFolders() {
    std::string name = fs::temp_directory_path() / "culink_private.XXXXXX";
    where_ = ::mkdtemp(name.data());
  }
  ~PrivateFolders() override { fs::remove_all(where_); }

  [[nodiscard]] PrivateFolder make() const {
    Result<PrivateFolder> made = PrivateFolder::create(where_);
    EXPECT_TRUE(made) << (made ? "" : made.error().text());
    return std::move(*made);
  }
  // By a process that ends without having removed it.
  void leave_one() const {
    const pid_t child = ::fork();
    if (child == 0) {
      const Result<PrivateFolder> made = PrivateFolder::create(where_);
      std::ofstream(made->path() + "/object1.cubin") << "bytes";
      ::kill(::getpid(), SIGKILL);
    }
    ::waitpid(child, nullptr, 0);
  }
  [[nodiscard]] u64 count() const {
    return static_cast<u64>(std::distance(fs::directory_iterator(where_), {}));
  }

  std::string where_;
};

TEST_F(PrivateFolders, go_away_with_their_files) {
  {
    const PrivateFolder folder = make();
    EXPECT_EQ(fs::status(folder.path()).permissions(), fs::perms::owner_all);
    std::ofstream(folder.path() + "/x") << "bytes";
  }
  EXPECT_EQ(count(), 0u);
}

TEST_F(PrivateFolders, of_killed_processes_go_away_with_the_next) {
  leave_one();
  EXPECT_EQ(count(), 1u);
  const PrivateFolder next = make();
  EXPECT_EQ(count(), 1u);
  EXPECT_TRUE(fs::exists(next.path()));
}

TEST_F(PrivateFolders, that_are_used_stay) {
  const PrivateFolder first = make(), second = make();
  EXPECT_TRUE(fs::exists(first.path()));
  EXPECT_EQ(count(), 2u);
}

TEST_F(PrivateFolders, of_others_stay) {
  const std::string left = where_ + "/culink-engine-abcdef", other = where_ + "/culink-master";
  fs::create_directories(left + "/inner");
  fs::create_directory(other);
  fs::permissions(other, fs::perms::owner_all);
  const std::string open = where_ + "/culink-engine-ABCDEF"; // that others may enter is not ours
  fs::create_directory(open);
  fs::create_directory_symlink(other, where_ + "/culink-engine-linked");
  std::ofstream(other + "/x") << "bytes";
  fs::permissions(open, fs::perms::all);
  { const PrivateFolder folder = make(); }
  EXPECT_TRUE(fs::exists(left + "/inner"));
  EXPECT_TRUE(fs::exists(open));
  EXPECT_TRUE(fs::exists(other + "/x"));
}

} // namespace
} // namespace culink
