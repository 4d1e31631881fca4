// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <span>
#include <string_view>

namespace culink {

// A message of another program that has to do with device links.
struct ForeignMessage {
  std::string_view pattern; // of a line; * stands for any text
  std::string_view speaker;
  std::string_view meaning;
  std::string_view way_out;
};
[[nodiscard]] std::span<const ForeignMessage> foreign_messages();

} // namespace culink
