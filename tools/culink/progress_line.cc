// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A link of machine code is over before anyone could read a word. One that has to compile PTX first
// can take minutes, and a user at a terminal wants to know why. The line is overwritten
// in place and gone when messages are printed.
#include "progress_line.h"

#include <chrono>
#include <cstdio>
#include <unistd.h>

namespace culink {

namespace {

using namespace std::chrono_literals;

constexpr auto kPatience = 1s;
constexpr auto kInterval = 200ms;
constexpr const char *kEraseLine = "\r\033[K";

} // namespace

ProgressLine::ProgressLine() {
  if (::isatty(STDERR_FILENO) != 0)
    watcher_.emplace([this] { watch(); });
}

ProgressLine::~ProgressLine() {
  if (!watcher_)
    return;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    stopped_ = true;
  }
  over_.notify_one();
  watcher_->join();
}

void ProgressLine::watch() {
  std::unique_lock<std::mutex> lock(mutex_);
  const auto is_over = [this] { return stopped_; };
  if (over_.wait_for(lock, kPatience, is_over))
    return;
  do {
    const u32 total = progress_.total;
    const u32 done = progress_.done;
    if (done < total)
      std::fprintf(stderr, "%sculink: reading and compiling inputs, %u of %u", kEraseLine, done,
                   total);
    else
      std::fprintf(stderr, "%sculink: %s", kEraseLine, progress_.step.load());
    std::fflush(stderr);
  } while (!over_.wait_for(lock, kInterval, is_over));
  std::fputs(kEraseLine, stderr);
}

} // namespace culink
