// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// nvlink ends at once, with 1, when it cannot read or merge an input. What it finds afterwards, in
// the program as a whole, it collects, and ends with 255 (Q068).
#include "compat/exit_status.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace culink {

namespace {

constexpr int kFailed = 1;
constexpr int kFailedLate = 255;

// Errors about the whole program, and warnings that -Werror makes errors.
constexpr std::array<std::string_view, 7> kLate = {
    "undefined-reference", "too-much-constant",  "too-much-shared",           "register-limit",
    "mixed-cta-groups",    "unknown-stack-size", "preserve-relocs-incomplete"};

} // namespace

int exit_status(const std::vector<Message> &messages, bool emulate) {
  const bool late = std::all_of(messages.begin(), messages.end(), [](const Message &message) {
    return message.severity < Severity::Error ||
           std::find(kLate.begin(), kLate.end(), message.id) != kLate.end();
  });
  return emulate && late ? kFailedLate : kFailed;
}

} // namespace culink
