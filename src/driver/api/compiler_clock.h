// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How long a link waits for the compilers that it calls, which steps of its own do not show.
// Several threads may wait at once; their times are added.
#pragma once

#include <atomic>
#include <chrono>
#include <vector>

#include "culink/step_time.h"
#include "support/types.h"

namespace culink {

class CompilerClock {
public:
  // Counts the time until it ends.
  class Wait {
  public:
    explicit Wait(CompilerClock &clock) : clock_(clock), start_(std::chrono::steady_clock::now()) {}
    Wait(const Wait &) = delete;
    Wait &operator=(const Wait &) = delete;
    ~Wait() {
      const auto passed = std::chrono::steady_clock::now() - start_;
      clock_.nanoseconds_ += static_cast<u64>(std::chrono::nanoseconds(passed).count());
      ++clock_.calls_;
    }

  private:
    CompilerClock &clock_;
    std::chrono::steady_clock::time_point start_;
  };

  // Appends a row, unless nobody was called.
  void add_row(std::string_view name, std::vector<StepTime> &rows) const {
    constexpr double kSecond = 1e9;
    if (calls_ != 0)
      rows.push_back({name, static_cast<double>(nanoseconds_.load()) / kSecond, 0});
  }

private:
  std::atomic<u64> nanoseconds_ = 0;
  std::atomic<u32> calls_ = 0;
};

} // namespace culink
