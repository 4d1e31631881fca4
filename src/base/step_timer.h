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

  // Ends the step before and begins one with this name, which must live on: a literal.
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
