// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <atomic>
#include <condition_variable>
#include <csignal>
#include <mutex>
#include <optional>
#include <thread>

#include "culink/link_progress.h"

namespace culink {

// While it lives, and once a second has passed, a line on the terminal says how far a link is.
// Does nothing where standard error is no terminal.
class ProgressLine {
public:
  ProgressLine();
  ~ProgressLine();
  ProgressLine(const ProgressLine &) = delete;
  ProgressLine &operator=(const ProgressLine &) = delete;

  // For LinkRequest.
  [[nodiscard]] LinkProgress *progress() { return &progress_; }

private:
  void watch();

  LinkProgress progress_;
  std::mutex mutex_;
  std::condition_variable over_;
  bool stopped_ = false;
  std::optional<std::thread> watcher_;
};

// While it lives, SIGTERM, SIGINT and SIGHUP cancel a link instead of ending the process, so that
// it can remove what it has made for others; then the process ends by the signal. A second one ends
// it at once. It has to be made before other threads are, which inherit what it sets.
class SignalWatch {
public:
  explicit SignalWatch(LinkProgress &progress);
  // Does not return if there was a signal.
  ~SignalWatch();
  SignalWatch(const SignalWatch &) = delete;
  SignalWatch &operator=(const SignalWatch &) = delete;

private:
  void watch();

  LinkProgress &progress_;
  sigset_t watched_{}, before_{};
  std::atomic<int> signal_ = 0;
  std::atomic<bool> over_ = false;
  std::optional<std::thread> watcher_;
};

} // namespace culink
