// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A link of machine code ends before a user could read a word. A link that compiles PTX first can
// take minutes, and a user at a terminal wants to know why. The progress line is overwritten in
// place and erased before messages are printed.
//
// A signal handler may do hardly any work; a thread that waits for the signals can cancel the link
// normally. Outputs do not need this, since they get their names only when they are complete, but
// the folder with nvlink's inputs must be removed. The same thread shows the line, since it can
// wait for a signal with a timeout.
#include "link_watch.h"

#include <cerrno>
#include <cstdio>
#include <pthread.h>
#include <system_error>
#include <unistd.h>

namespace culink {

namespace {

constexpr timespec kPatience{.tv_sec = 1, .tv_nsec = 0};
constexpr timespec kInterval{.tv_sec = 0, .tv_nsec = 200'000'000};
constexpr const char *kEraseLine = "\r\033[K";

// The signal that wakes the watcher at the end of the link.
constexpr int kWakeUp = SIGUSR2;

void die_by(int signal) {
  std::signal(signal, SIG_DFL);
  sigset_t only;
  ::sigemptyset(&only);
  ::sigaddset(&only, signal);
  ::pthread_sigmask(SIG_UNBLOCK, &only, nullptr);
  std::raise(signal);
}

} // namespace

LinkWatch::LinkWatch(bool signals) : on_terminal_(::isatty(STDERR_FILENO) != 0) {
  if (!signals && !on_terminal_)
    return;
  ::sigemptyset(&watched_);
  for (const int signal : {SIGTERM, SIGINT, SIGHUP}) {
    struct sigaction now {};
    // Signals that the user ignores (nohup) stay ignored.
    if (signals && ::sigaction(signal, nullptr, &now) == 0 && now.sa_handler != SIG_IGN)
      ::sigaddset(&watched_, signal);
  }
  ::sigaddset(&watched_, kWakeUp);
  ::pthread_sigmask(SIG_BLOCK, &watched_, &before_);
  try {
    watcher_.emplace([this] { watch(); });
  } catch (const std::system_error &) { // thread limit reached: signals end the process as usual
    ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
}

LinkWatch::~LinkWatch() {
  if (!watcher_)
    return;
  over_ = true;
  ::pthread_kill(watcher_->native_handle(), kWakeUp);
  watcher_->join();
  ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  if (signal_ != 0)
    die_by(signal_);
}

void LinkWatch::watch() {
  bool shown = false;
  while (!over_) {
    const int signal = ::sigtimedwait(&watched_, nullptr, shown ? &kInterval : &kPatience);
    if (signal > 0 && signal != kWakeUp) {
      if (signal_ != 0)
        die_by(signal);
      signal_ = signal;
      progress_.cancelled = true;
    } else if (signal < 0 && errno == EAGAIN && on_terminal_) {
      show();
      shown = true;
    }
  }
  if (shown)
    std::fputs(kEraseLine, stderr);
}

void LinkWatch::show() const {
  const u32 total = progress_.total, done = progress_.done;
  if (done < total)
    std::fprintf(stderr, "%sculink: reading and compiling inputs, %u of %u", kEraseLine, done,
                 total);
  else
    std::fprintf(stderr, "%sculink: %s", kEraseLine, progress_.step.load());
  std::fflush(stderr);
}

} // namespace culink
