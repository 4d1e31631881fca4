// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <atomic>
#include <csignal>
#include <optional>
#include <thread>

#include "culink/link_progress.h"

namespace culink {

// Watches a link. Once a second has passed, a line on the terminal says how far it is, where
// standard error is one.
//
// With `signals`, SIGTERM, SIGINT and SIGHUP cancel the link instead of ending the process, so that
// it can remove what it has made for others; then the process ends by the signal. A second one ends
// it at once. The watch has to be made before other threads are, which inherit what it sets.
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
