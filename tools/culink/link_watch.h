// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <atomic>
#include <csignal>
#include <optional>
#include <thread>

#include "culink/link_progress.h"

namespace culink {

// Watches a link. After one second, a line on the terminal shows the progress, if standard error is
// a terminal.
//
// With `signals`, SIGTERM, SIGINT and SIGHUP cancel the link instead of ending the process, so that
// it can remove its temporary files; then the process ends by the signal. A second signal ends it
// at once. Create the watch before other threads, which inherit its signal mask.
class LinkWatch {
public:
  explicit LinkWatch(bool signals);
  // Does not return if there was a signal.
  ~LinkWatch();
  LinkWatch(const LinkWatch &) = delete;
  LinkWatch &operator=(const LinkWatch &) = delete;

  // For LinkRequest.
  [[nodiscard]] LinkProgress *progress() { return &progress_; }

private:
  void watch();
  void show() const;

  LinkProgress progress_;
  bool on_terminal_;
  sigset_t watched_{}, before_{};
  std::atomic<int> signal_ = 0;
  std::atomic<bool> over_ = false;
  std::optional<std::thread> watcher_;
};

} // namespace culink
