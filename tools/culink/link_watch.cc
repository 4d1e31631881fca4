// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A link of machine code is over before anyone could read a word. One that has to compile PTX first
// can take minutes, and a user at a terminal wants to know why. The line is overwritten
// in place and gone when messages are printed.
#include "link_watch.h"

#include <chrono>
#include <cstdio>
#include <pthread.h>
#include <system_error>
#include <unistd.h>

namespace culink {

namespace {

using namespace std::chrono_literals;

constexpr auto kPatience = 1s;
constexpr auto kInterval = 200ms;
constexpr const char *kEraseLine = "\r\033[K";

} // namespace

ProgressLine::ProgressLine() {
  if (::isatty(STDERR_FILENO) != 0)
    watcher_.emplace([this] { watch(); });
}

ProgressLine::~ProgressLine() {
  if (!watcher_)
    return;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    stopped_ = true;
  }
  over_.notify_one();
  watcher_->join();
}

void ProgressLine::watch() {
  std::unique_lock<std::mutex> lock(mutex_);
  const auto is_over = [this] { return stopped_; };
  if (over_.wait_for(lock, kPatience, is_over))
    return;
  do {
    const u32 total = progress_.total;
    const u32 done = progress_.done;
    if (done < total)
      std::fprintf(stderr, "%sculink: reading and compiling inputs, %u of %u", kEraseLine, done,
                   total);
    else
      std::fprintf(stderr, "%sculink: %s", kEraseLine, progress_.step.load());
    std::fflush(stderr);
  } while (!over_.wait_for(lock, kInterval, is_over));
  std::fputs(kEraseLine, stderr);
}

// A handler could do next to nothing; a thread that waits for the signals can cancel the link like
// anybody else. Outputs need none of this, since they have no names before they are complete; the
// folder in which nvlink finds its inputs does.

namespace {

// The watcher wakes up by this one when the link is over.
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

SignalWatch::SignalWatch(LinkProgress &progress) : progress_(progress) {
  ::sigemptyset(&watched_);
  for (const int signal : {SIGTERM, SIGINT, SIGHUP}) {
    struct sigaction now {};
    // What somebody has decided to ignore (nohup) stays ignored.
    if (::sigaction(signal, nullptr, &now) == 0 && now.sa_handler != SIG_IGN)
      ::sigaddset(&watched_, signal);
  }
  ::sigaddset(&watched_, kWakeUp);
  ::pthread_sigmask(SIG_BLOCK, &watched_, &before_);
  try {
    watcher_.emplace([this] { watch(); });
  } catch (const std::system_error &) { // no more threads: signals end the process as usual
    ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
}

SignalWatch::~SignalWatch() {
  if (!watcher_)
    return;
  over_ = true;
  ::pthread_kill(watcher_->native_handle(), kWakeUp);
  watcher_->join();
  ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  if (signal_ != 0)
    die_by(signal_);
}

void SignalWatch::watch() {
  for (int signal = 0; !over_;) {
    if (::sigwait(&watched_, &signal) != 0 || signal == kWakeUp)
      continue;
    if (signal_ != 0)
      die_by(signal);
    signal_ = signal;
    progress_.cancelled = true;
  }
}

} // namespace culink
