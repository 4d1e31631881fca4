// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Child processes by posix_spawn, which does not copy this process, however large it is. Every
// descriptor here is closed in children unless it is handed over by name, so that children of
// several threads do not hold each other's pipes open.
#include "base/process.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

#include "base/child_environment.h"
#include "base/system_error.h"

namespace culink {

namespace {

// File actions and the ends of a pipe, freed when the scope ends.
struct SpawnState {
  posix_spawn_file_actions_t actions{};
  int pipe[2] = {-1, -1};

  SpawnState() { ::posix_spawn_file_actions_init(&actions); }
  SpawnState(const SpawnState &) = delete;
  SpawnState &operator=(const SpawnState &) = delete;
  ~SpawnState() {
    ::posix_spawn_file_actions_destroy(&actions);
    close_end(0);
    close_end(1);
  }
  void close_end(int end) {
    if (pipe[end] >= 0)
      ::close(pipe[end]);
    pipe[end] = -1;
  }
};

using Clock = std::chrono::steady_clock;

// When to stop waiting for a child.
struct Patience {
  std::optional<Clock::time_point> deadline;
  const std::atomic<bool> *cancelled = nullptr;

  [[nodiscard]] bool is_over() const {
    return (deadline && Clock::now() >= *deadline) || (cancelled && *cancelled);
  }
  // Milliseconds for poll: up to the deadline, but not so long that a user waits for the end of
  // what was cancelled; -1: no limit.
  [[nodiscard]] int milliseconds() const {
    constexpr i64 kMost = 1 << 30;
    constexpr i64 kGlance = 50;
    if (!deadline)
      return cancelled ? kGlance : -1;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(*deadline - Clock::now());
    return static_cast<int>(std::clamp<i64>(left.count(), 0, cancelled ? kGlance : kMost));
  }
};

// Reads a pipe up to its end; false: patience ended first.
bool read_pipe(int fd, const Patience &patience, std::string &out) {
  char buffer[4096];
  for (;;) {
    pollfd waited{fd, POLLIN, 0};
    const int ready = ::poll(&waited, 1, patience.milliseconds());
    if (ready == 0 && patience.is_over())
      return false;
    if (ready == 0)
      continue;
    const ssize_t n = ready < 0 ? -1 : ::read(fd, buffer, sizeof buffer);
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return true;
    out.append(buffer, static_cast<size_t>(n));
  }
}

} // namespace

Result<MemoryFile> MemoryFile::create(ByteSpan contents) {
  MemoryFile out(::memfd_create("culink", MFD_CLOEXEC));
  if (out.fd_ < 0)
    return system_error("cannot create a file in memory");
  if (std::optional<Error> error = out.replace(contents))
    return std::move(*error);
  return out;
}

std::optional<Error> MemoryFile::replace(ByteSpan contents) const {
  if (::ftruncate(fd_, static_cast<off_t>(contents.size())) != 0)
    return system_error("cannot size a file in memory");
  for (u64 done = 0; done < contents.size();) {
    const ssize_t n =
        ::pwrite(fd_, contents.data() + done, contents.size() - done, static_cast<off_t>(done));
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return system_error("cannot write to a file in memory");
    done += static_cast<u64>(n);
  }
  return std::nullopt;
}

MemoryFile::MemoryFile(MemoryFile &&other) noexcept : fd_(std::exchange(other.fd_, -1)) {}

MemoryFile::~MemoryFile() {
  if (fd_ >= 0)
    ::close(fd_);
}

Result<std::vector<u8>> MemoryFile::read() const {
  const off_t size = ::lseek(fd_, 0, SEEK_END);
  std::vector<u8> out(size > 0 ? static_cast<size_t>(size) : 0);
  for (size_t done = 0; done < out.size();) {
    const ssize_t n = ::pread(fd_, out.data() + done, out.size() - done, static_cast<off_t>(done));
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return system_error("cannot read a file in memory");
    done += static_cast<size_t>(n);
  }
  return out;
}

std::string describe_exit(int status) {
  constexpr int kSignal = 128;
  if (status <= kSignal)
    return "ended with " + std::to_string(status);
  return "ended by signal " + std::to_string(status - kSignal) + " (" +
         ::strsignal(status - kSignal) + ")";
}

Result<ProcessResult> run_process(const std::vector<std::string> &words,
                                  const std::vector<const MemoryFile *> &files,
                                  std::optional<std::chrono::seconds> limit,
                                  const std::atomic<bool> *cancelled) {
  SpawnState state;
  if (::pipe2(state.pipe, O_CLOEXEC) != 0)
    return system_error("cannot create a pipe");
  ::posix_spawn_file_actions_addopen(&state.actions, 0, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_adddup2(&state.actions, state.pipe[1], 1);
  ::posix_spawn_file_actions_adddup2(&state.actions, state.pipe[1], 2);
  for (const MemoryFile *file : files) // onto itself, so that it is open in the child
    ::posix_spawn_file_actions_adddup2(&state.actions, file->descriptor(), file->descriptor());
  std::vector<char *> arguments;
  for (const std::string &word : words)
    arguments.push_back(const_cast<char *>(word.c_str()));
  arguments.push_back(nullptr);
  pid_t child = 0;
  ChildEnvironment environment;
  errno = ::posix_spawn(&child, words.front().c_str(), &state.actions, nullptr, arguments.data(),
                        environment.data());
  if (errno != 0)
    return system_error("cannot start");
  state.close_end(1);
  ProcessResult out;
  Patience patience{std::nullopt, cancelled};
  if (limit)
    patience.deadline = Clock::now() + *limit;
  if (!read_pipe(state.pipe[0], patience, out.output)) {
    out.late = true;
    ::kill(child, SIGKILL);
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0)
    if (errno != EINTR)
      return system_error("cannot wait for");
  out.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return out;
}

} // namespace culink
