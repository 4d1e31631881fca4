// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Starts child processes by vfork, which does not copy this process, however large it is.
// posix_spawn could not ask the system to kill the child when this process dies. Every descriptor
// here is closed in children unless it is passed explicitly, so that children of several threads do
// not keep each other's pipes open.
//
// What may surprise: between vfork and execve the child runs in the memory of this process, while
// the thread that started it waits. So it only makes system calls, with all signals blocked. The
// system kills the child when that thread ends, not the process; this is fine, because the thread
// waits for the child anyway.
#include "support/process.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <string_view>
#include <unistd.h>
#include <utility>

#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h> // environ

#include "support/file_descriptor.h"

namespace culink {

// Programs that load libnvJitLink themselves get culink's library by LD_PRELOAD. Child processes
// inherit the variable, including the process in which culink loads NVIDIA's library: that library
// calls its own functions by name, and these calls would reach culink's library. Other libraries in
// the list stay.
//
// A script called nvlink or ptxas may run culink. The mark in its environment stops that recursion.

namespace {

constexpr std::string_view kPreload = "LD_PRELOAD=";
constexpr const char *kLibrary = "libnvJitLink.so";
constexpr const char *kSeparators = " :";
constexpr const char *kMark = "CULINK_ENGINE";
constexpr const char *kMarked = "CULINK_ENGINE=1";

} // namespace

std::string without_library(const std::string &list, const std::string &name) {
  std::string out;
  for (size_t at = list.find_first_not_of(kSeparators); at != std::string::npos;) {
    const size_t end = std::min(list.find_first_of(kSeparators, at), list.size());
    const std::string path = list.substr(at, end - at);
    if (!path.substr(path.rfind('/') + 1).starts_with(name))
      out += (out.empty() ? "" : ":") + path;
    at = list.find_first_not_of(kSeparators, end);
  }
  return out;
}

bool runs_as_engine() {
  return std::getenv(kMark) != nullptr;
}

ChildEnvironment::ChildEnvironment() {
  for (char **variable = environ; variable && *variable; ++variable) {
    const std::string_view text = *variable;
    if (text.starts_with(kPreload)) {
      preload_ = std::string(kPreload) +
                 without_library(std::string(text.substr(kPreload.size())), kLibrary);
      pointers_.push_back(preload_.data());
    } else {
      pointers_.push_back(*variable);
    }
  }
  pointers_.push_back(const_cast<char *>(kMarked));
  pointers_.push_back(nullptr);
}

namespace {

// The data for starting a child, prepared before vfork.
struct ChildPlan {
  std::vector<char *> arguments;
  char **environment = nullptr;
  int output = -1; // becomes stdout and stderr
  const std::vector<int> &kept;
  bool own_group = false;
  sigset_t signals{}; // the signals that are blocked in the new program
  pid_t parent = -1;
};

// Runs in the child. Returns only on failure.
void become(const ChildPlan &plan) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != plan.parent) // the parent is dead already
    return;
  if (plan.own_group) // for its own children too
    ::setpgid(0, 0);
  const int nothing = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  ::dup2(nothing, 0);
  ::fcntl(0, F_SETFD, 0); // if 0 was closed in this process, dup2 did not change the flags
  for (const int standard : {1, 2})
    ::dup2(plan.output < 0 ? 0 : plan.output, standard);
  for (const int fd : plan.kept)
    ::fcntl(fd, F_SETFD, 0);
  struct sigaction usual {};
  usual.sa_handler = SIG_DFL;
  for (const int signal : {SIGPIPE, SIGXFSZ, SIGCHLD}) // this process may ignore them
    ::sigaction(signal, &usual, nullptr);
  ::sigprocmask(SIG_SETMASK, &plan.signals, nullptr);
  ::execve(plan.arguments.front(), plan.arguments.data(), plan.environment);
}

// Returns the child, or -1 with errno.
pid_t start_child(ChildPlan &plan) {
  sigset_t all;
  ::sigfillset(&all);
  plan.parent = ::getpid();
  ::pthread_sigmask(SIG_BLOCK, &all, &plan.signals);
  volatile int failure = 0;
  const pid_t child = ::vfork();
  if (child == 0) {
    become(plan);
    failure = errno;
    ::_exit(127);
  }
  const int error = child < 0 ? errno : failure;
  ::pthread_sigmask(SIG_SETMASK, &plan.signals, nullptr);
  if (child > 0 && error != 0)
    ::waitpid(child, nullptr, 0);
  errno = error;
  return error == 0 ? child : -1;
}

// Reads a pipe to its end and keeps the first part of the text. Returns false if the wait ended
// first.
bool read_pipe(int fd, const Patience &patience, std::string &out) {
  constexpr size_t kMostText = size_t{16} << 20;
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
    if (out.size() < kMostText)
      out.append(buffer, static_cast<size_t>(n));
  }
}

} // namespace

Result<MemoryFile> MemoryFile::create(ByteSpan contents) {
  MemoryFile out(above_standard(::memfd_create("culink", MFD_CLOEXEC)));
  if (!out.fd_)
    return system_error("cannot create a file in memory");
  if (!write_all(out.descriptor(), contents))
    return system_error("cannot write to a file in memory");
  return out;
}

Result<std::vector<u8>> MemoryFile::read() const {
  const off_t size = ::lseek(descriptor(), 0, SEEK_END);
  std::vector<u8> out(size > 0 ? static_cast<size_t>(size) : 0);
  if (!read_all(descriptor(), out))
    return system_error("cannot read a file in memory");
  return out;
}

// Programs use all exit codes up to 255, nvlink 255 too.
constexpr int kSignal = 256;

std::optional<int> wait_for_child(pid_t child) {
  int status = 0;
  while (::waitpid(child, &status, 0) < 0)
    if (errno != EINTR)
      return std::nullopt;
  return WIFEXITED(status) ? WEXITSTATUS(status) : kSignal + WTERMSIG(status);
}

std::string describe_exit(int status) {
  if (status == kLostStatus)
    return "ended";
  if (status < kSignal)
    return "ended with " + std::to_string(status);
  return "ended by signal " + std::to_string(status - kSignal) + " (" +
         ::strsignal(status - kSignal) + ")";
}

int Patience::milliseconds() const {
  constexpr i64 kMost = 1 << 30;
  constexpr i64 kGlance = 50;
  if (!deadline)
    return cancelled ? kGlance : -1;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(*deadline - Clock::now());
  return static_cast<int>(std::clamp<i64>(left.count(), 0, cancelled ? kGlance : kMost));
}

pid_t start_process(const std::vector<std::string> &words, const std::vector<int> &kept, int output,
                    bool own_group) {
  ChildEnvironment environment;
  ChildPlan plan{
      .environment = environment.data(), .output = output, .kept = kept, .own_group = own_group};
  for (const std::string &word : words)
    plan.arguments.push_back(const_cast<char *>(word.c_str()));
  plan.arguments.push_back(nullptr);
  return start_child(plan);
}

Result<ProcessResult> run_process(const std::vector<std::string> &words,
                                  const std::vector<const MemoryFile *> &files,
                                  std::optional<std::chrono::seconds> limit,
                                  const std::atomic<bool> *cancelled) {
  int ends[2] = {-1, -1};
  if (::pipe2(ends, O_CLOEXEC) != 0)
    return system_error("cannot create a pipe");
  const FileDescriptor from_child(above_standard(ends[0]));
  FileDescriptor to_us(above_standard(ends[1]));
  if (!from_child || !to_us)
    return system_error("cannot create a pipe");
  std::vector<int> kept;
  for (const MemoryFile *file : files)
    kept.push_back(file->descriptor());
  const pid_t child = start_process(words, kept, to_us.get(), true);
  if (child < 0)
    return system_error("cannot start");
  to_us.close();
  ProcessResult out;
  Patience patience{std::nullopt, cancelled};
  if (limit)
    patience.deadline = Patience::Clock::now() + *limit;
  if (!read_pipe(from_child.get(), patience, out.output)) {
    out.late = true;
    ::kill(-child, SIGKILL);
  }
  out.status = wait_for_child(child).value_or(kLostStatus);
  return out;
}

} // namespace culink
