// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <vector>

#include "driver/c/handles.h"

namespace culink::capi {

// Words as options of a link; or, in `error`, why they are none.
struct ParsedOptions {
  CommandLine line;
  std::vector<Message> messages; // warnings
  std::string error;
};
[[nodiscard]] ParsedOptions parse_options(const std::vector<std::string> &words);

// What a link asks for, with the messages about it; `request` is of use unless one is an error.
struct PreparedLink {
  LinkRequest request;
  LogStyle style;
  std::vector<Message> messages;
  bool failed = false;
};
[[nodiscard]] PreparedLink prepare(const culink_link &link);

} // namespace culink::capi
