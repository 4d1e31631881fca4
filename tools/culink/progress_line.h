// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <condition_variable>
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

} // namespace culink
