// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string_view>
#include <vector>

#include "culink/link_progress.h"
#include "culink/step_time.h"

namespace culink {

// Measures the steps of a link, one after the other. Does nothing unless it is switched on.
class StepTimer {
public:
  // `progress` may be null.
  explicit StepTimer(bool on, LinkProgress *progress = nullptr) : on_(on), progress_(progress) {}

  // Ends the current step and begins one of this name, which must be a literal.
  void begin(std::string_view name);
  void end();
  [[nodiscard]] const std::vector<StepTime> &times() const { return times_; }

private:
  bool on_;
  LinkProgress *progress_;
  bool running_ = false;
  StepTime start_;
  std::vector<StepTime> times_;
};

} // namespace culink
