// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Steps are measured by wall time, which users wait for, and by processor time of the process,
// which does not depend on other programs and includes the cost of threads.
#include "support/step_timer.h"

#include <ctime>

namespace culink {

namespace {

double seconds(clockid_t clock) {
  timespec now{};
  ::clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

StepTime now(std::string_view name) {
  return {name, seconds(CLOCK_MONOTONIC), seconds(CLOCK_PROCESS_CPUTIME_ID)};
}

} // namespace

void StepTimer::begin(std::string_view name) {
  if (progress_) {
    progress_->step = name.data();
    progress_->tell();
  }
  end();
  if (!on_)
    return;
  start_ = now(name);
  running_ = true;
}

void StepTimer::end() {
  if (!running_)
    return;
  const StepTime stop = now(start_.name);
  times_.push_back({start_.name, stop.wall - start_.wall, stop.processor - start_.processor});
  running_ = false;
}

} // namespace culink
