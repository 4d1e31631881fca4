// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string_view>
#include <vector>

#include "culink/link_progress.h"
#include "culink/step_time.h"

namespace culink {

// Measures the consecutive steps of a link, if enabled, and reports the progress of the link.
class StepTimer {
public:
  // `progress` may be null.
  explicit StepTimer(bool on, LinkProgress *progress = nullptr) : on_(on), progress_(progress) {}

  // Ends the current step and begins one with this name, which must be a literal.
  void begin(std::string_view name);
  void end();
  [[nodiscard]] const std::vector<StepTime> &times() const { return times_; }
  // True if the link is to end before the next step.
  [[nodiscard]] bool cancelled() const { return progress_ && progress_->cancelled; }

private:
  bool on_;
  LinkProgress *progress_;
  bool running_ = false;
  StepTime start_;
  std::vector<StepTime> times_;
};

} // namespace culink
