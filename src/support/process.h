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

// The variables of this process for a child that runs a compiler, with a list of pointers as system
// calls take it. A libnvJitLink in LD_PRELOAD is left out: it would come between NVIDIA's library
// and itself in a process that loads the latter. A mark is added for runs_as_engine().
class ChildEnvironment {
public:
  ChildEnvironment();

  [[nodiscard]] char **data() { return pointers_.data(); }

private:
  std::string preload_; // the one variable that may differ
  std::vector<char *> pointers_;
};

// True in a process that a linker has started as a compiler. A link there would start compilers
// again, without end.
[[nodiscard]] bool runs_as_engine();

// A list of libraries for LD_PRELOAD without those of that name, whatever folder they are in.
[[nodiscard]] std::string without_library(const std::string &list, const std::string &name);

// A file that exists in memory only. Child processes that are given it open it under path().
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

// In place of an exit code: this process ignores SIGCHLD, or another part of it has waited for the
// child. Only the output of the child shows then how it ended.
inline constexpr int kLostStatus = -1;

struct ProcessResult {
  int status = 0;     // the exit code; 256 and more: ended by a signal; or kLostStatus
  std::string output; // of stdout and stderr, the first 16 MB of it
  bool late = false;  // it was ended at the deadline, or because that was asked for
};

// The end of a wait for a child.
struct Patience {
  using Clock = std::chrono::steady_clock;

  std::optional<Clock::time_point> deadline;
  const std::atomic<bool> *cancelled = nullptr;

  [[nodiscard]] bool is_over() const {
    return (deadline && Clock::now() >= *deadline) || (cancelled && *cancelled);
  }
  // Milliseconds for poll: up to the deadline, but not so long that a user waits for the end of
  // what was cancelled; -1: no limit.
  [[nodiscard]] int milliseconds() const;
};

// Starts a program, without a shell: the child, or -1 with errno. words[0] is its path. It sees
// nothing of this process but the given descriptors and the environment, and is killed with the
// thread that starts it. `output` becomes its standard output and error; -1: they lead nowhere.
// With a group of its own it can be killed together with its children.
[[nodiscard]] pid_t start_process(const std::vector<std::string> &words,
                                  const std::vector<int> &kept, int output, bool own_group);

// Waits until a child has ended: the exit code as above, or nothing where it is lost.
[[nodiscard]] std::optional<int> wait_for_child(pid_t child);

// "ended with 3", "ended by signal 11 (Segmentation fault)": for messages.
[[nodiscard]] std::string describe_exit(int status);

// Runs a program to its end. Any number may run at once. After the limit, if there is one, it is
// ended with its own children, and soon after `cancelled` is set, unless null.
[[nodiscard]] Result<ProcessResult> run_process(const std::vector<std::string> &words,
                                                const std::vector<const MemoryFile *> &files = {},
                                                std::optional<std::chrono::seconds> limit = {},
                                                const std::atomic<bool> *cancelled = nullptr);

} // namespace culink
