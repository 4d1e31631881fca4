// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <span>
#include <string_view>

#include "model/diagnostics.h"

namespace culink {

// What a message means and what somebody who gets it can do, for culink --explain and
// docs/message-list.md.
struct MessageMeaning {
  DiagId id;
  std::string_view meaning;
  std::string_view way_out;
};

[[nodiscard]] const MessageMeaning &message_meaning(DiagId id);

// The tables, in the order of the ids: messages about inputs, about the program that they make, and
// about the command and what is around it.
[[nodiscard]] std::span<const MessageMeaning> meanings_of_inputs();
[[nodiscard]] std::span<const MessageMeaning> meanings_of_programs();
[[nodiscard]] std::span<const MessageMeaning> meanings_of_commands();

// Whether a table has a row for each id from `first` on, in order.
constexpr bool are_in_order(std::span<const MessageMeaning> rows, DiagId first) {
  for (size_t i = 0; i < rows.size(); ++i)
    if (static_cast<size_t>(rows[i].id) != static_cast<size_t>(first) + i)
      return false;
  return true;
}

} // namespace culink
