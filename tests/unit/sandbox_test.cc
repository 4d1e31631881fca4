// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compilers/engine/sandbox.h"

#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <pthread.h>
#include <spawn.h>
#include <string>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>

namespace culink {
namespace {

constexpr int kNoSandbox = 77;

// Lets a child enter the sandbox and try something. Its exit status; kNoSandbox: there is none.
template <class Try> int status_inside(Try attempt) {
  const pid_t child = ::fork();
  if (child == 0)
    ::_exit(enter_sandbox() ? kNoSandbox : attempt());
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

// 0 if the system has refused.
int refused(int result) {
  return result < 0 && errno == EPERM ? 0 : 1;
}

class Sandbox : public ::testing::Test {
protected:
  void SetUp() override {
    if (status_inside([] { return 0; }) == kNoSandbox)
      GTEST_SKIP() << "this system has no filters of system calls";
    path_ = testing::TempDir() + "culink-sandbox-" + std::to_string(::getpid());
    ::close(::open(path_.c_str(), O_WRONLY | O_CREAT, 0600));
  }
  void TearDown() override { ::unlink(path_.c_str()); }

  std::string path_;
};

TEST_F(Sandbox, has_no_network) {
  EXPECT_EQ(status_inside([] { return refused(::socket(AF_INET, SOCK_STREAM, 0)); }), 0);
  EXPECT_EQ(status_inside([] { return refused(::socket(AF_UNIX, SOCK_STREAM, 0)); }), 0);
}

TEST_F(Sandbox, changes_no_files) {
  const char *path = path_.c_str();
  const std::string fresh = path_ + ".new";
  const char *other = fresh.c_str();
  EXPECT_EQ(status_inside([&] { return refused(::open(path, O_WRONLY)); }), 0);
  EXPECT_EQ(status_inside([&] { return refused(::open(path, O_RDONLY | O_TRUNC)); }), 0);
  EXPECT_EQ(status_inside([&] { return refused(::open(other, O_RDWR | O_CREAT, 0600)); }), 0);
  EXPECT_EQ(status_inside([&] { return refused(::unlink(path)); }), 0);
  EXPECT_EQ(status_inside([&] { return refused(::rename(path, other)); }), 0);
  EXPECT_EQ(status_inside([&] { return refused(::link(path, other)); }), 0);
  EXPECT_EQ(status_inside([&] { return refused(::mkdir(other, 0700)); }), 0);
  EXPECT_EQ(status_inside([&] { return refused(::chmod(path, 0777)); }), 0);
  EXPECT_EQ(status_inside([&] { return refused(::truncate(path, 0)); }), 0);
}

TEST_F(Sandbox, starts_no_programs) {
  char name[] = "/bin/true";
  char *const words[] = {name, nullptr};
  EXPECT_EQ(status_inside([&] { return refused(::execv(name, words)); }), 0);
  EXPECT_EQ(status_inside([] {
              const pid_t child = ::fork();
              if (child == 0)
                ::_exit(0);
              return refused(child);
            }),
            0);
}

TEST_F(Sandbox, reads_what_is_open_and_opens_nothing) {
  const int open_before = ::open(path_.c_str(), O_RDONLY);
  char byte = 0;
  EXPECT_EQ(status_inside([&] { return ::read(open_before, &byte, 1) == 0 ? 0 : 1; }), 0);
  EXPECT_EQ(status_inside([&] { return refused(::open(path_.c_str(), O_RDONLY)); }), 0);
  ::close(open_before);
}

// Without std::thread, whose objects the sanitizer for undefined behaviour checks by system calls.
TEST_F(Sandbox, computes_with_threads) {
  EXPECT_EQ(status_inside([] {
              char *memory = static_cast<char *>(std::calloc(1, 1 << 24));
              int sum = 0;
              pthread_t other{};
              const auto add = [](void *to) -> void * {
                *static_cast<int *>(to) = 1;
                return nullptr;
              };
              if (::pthread_create(&other, nullptr, add, &sum) == 0)
                ::pthread_join(other, nullptr);
              const bool ok = memory && sum == 1;
              std::free(memory);
              return ok ? 0 : 1;
            }),
            0);
}

} // namespace
} // namespace culink
