// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <atomic>
#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

#include "support/file_descriptor.h"
#include "support/result.h"
#include "support/types.h"

namespace culink {

// The environment of this process for a child that runs a compiler, with a list of pointers for
// system calls. Removes a libnvJitLink from LD_PRELOAD: in a process that loads NVIDIA's library,
// it would intercept that library's calls to itself. Adds a mark for runs_as_engine().
class ChildEnvironment {
public:
  ChildEnvironment();

  [[nodiscard]] char **data() { return pointers_.data(); }

private:
  std::string preload_; // the only variable that may differ
  std::vector<char *> pointers_;
};

// True in a process that a linker has started as a compiler. A link there would start compilers
// again, without end.
[[nodiscard]] bool runs_as_engine();

// Returns a list of libraries for LD_PRELOAD without those of that name in any folder.
[[nodiscard]] std::string without_library(const std::string &list, const std::string &name);

// A file in memory only. Child processes that inherit it open it under path().
class MemoryFile {
public:
  [[nodiscard]] static Result<MemoryFile> create(ByteSpan contents);

  [[nodiscard]] int descriptor() const { return fd_.get(); }
  [[nodiscard]] std::string path() const { return "/dev/fd/" + std::to_string(fd_.get()); }
  [[nodiscard]] Result<std::vector<u8>> read() const;

private:
  explicit MemoryFile(int fd) : fd_(fd) {}

  FileDescriptor fd_;
};

// The status of a child that cannot be determined: this process ignores SIGCHLD, or another part of
// it has waited for the child. Then only the child's output shows how it ended.
inline constexpr int kLostStatus = -1;

struct ProcessResult {
  int status = 0;     // the exit code; 256 and more: ended by a signal; or kLostStatus
  std::string output; // of stdout and stderr, at most the first 16 MB
  bool late = false;  // it was killed, at the deadline or by cancellation
};

// The conditions that end a wait for a child.
struct Patience {
  using Clock = std::chrono::steady_clock;

  std::optional<Clock::time_point> deadline;
  const std::atomic<bool> *cancelled = nullptr;

  [[nodiscard]] bool is_over() const {
    return (deadline && Clock::now() >= *deadline) || (cancelled && *cancelled);
  }
  // Returns the timeout for poll in milliseconds: up to the deadline, but short enough that a user
  // does not notice the delay of a cancellation; -1: no limit.
  [[nodiscard]] int milliseconds() const;
};

// Starts a program without a shell. Returns the child, or -1 with errno. words[0] is its path. The
// child inherits only the given descriptors and the environment, and is killed when the thread that
// starts it ends. `output` becomes its standard output and error; -1 discards them. A child with a
// process group of its own can be killed together with its children.
[[nodiscard]] pid_t start_process(const std::vector<std::string> &words,
                                  const std::vector<int> &kept, int output, bool own_group);

// Waits for the end of a child. Returns the exit code as above, or nullopt if it is lost.
[[nodiscard]] std::optional<int> wait_for_child(pid_t child);

// "ended with 3", "ended by signal 11 (Segmentation fault)": for messages.
[[nodiscard]] std::string describe_exit(int status);

// Runs a program to its end. Safe for concurrent use. After the limit, if any, kills it with its
// children. Also kills it soon after `cancelled` is set; it may be null.
[[nodiscard]] Result<ProcessResult> run_process(const std::vector<std::string> &words,
                                                const std::vector<const MemoryFile *> &files = {},
                                                std::optional<std::chrono::seconds> limit = {},
                                                const std::atomic<bool> *cancelled = nullptr);

} // namespace culink
