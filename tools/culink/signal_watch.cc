// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A handler could do next to nothing; a thread that waits for the signals can cancel the link like
// anybody else. Outputs need none of this, since they have no names before they are complete; the
// folder in which nvlink finds its inputs does.
#include "signal_watch.h"

#include <pthread.h>
#include <system_error>

namespace culink {

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
