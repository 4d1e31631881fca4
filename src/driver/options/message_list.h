// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>
#include <span>
#include <string>
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

// What a message means and what to do about it, for a terminal. The words are its id, the message
// as it was printed by culink, nvlink or another program, or a part of it; several messages that
// may be meant are listed. Nothing if there is none.
[[nodiscard]] std::optional<std::string> explain_message(std::string_view words);

// All messages with their meanings: docs/message-list.md.
[[nodiscard]] std::string message_list();

} // namespace culink
