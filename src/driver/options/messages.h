// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "culink/diagnostics.h"
#include "link/model/diagnostics.h"
#include "support/types.h"

namespace culink {

// The stage of a link at which nvlink reports an error; it does not reach the next stage.
enum class NvlinkStage : u8 { Options, Load, Merge, Program };

enum class NvlinkWeight : u8 {
  Silent,  // nvlink continues without a message
  Info,    // continues
  Warning, // continues; an error with -Werror
  Error,   // reports more errors of the kind, then stops
  Fatal,   // stops at once
};

// nvlink's words for a message. In the text {0} is an argument, {0x} the argument as a hexadecimal
// number, {0d} demangled; {a} and {b} are the files of the first and second origin.
struct NvlinkRow {
  DiagId id;
  NvlinkStage stage;
  NvlinkWeight weight;
  std::string_view text;
  // The order of messages about a program; the default is last. Sizes of sections are one step.
  u32 step = kLastStep;
  std::string_view text_13_1 = {}; // from 13.1 on, if it differs

  static constexpr u32 kLastStep = 6;
};
[[nodiscard]] std::span<const NvlinkRow> nvlink_rows();

struct NvlinkReport {
  std::vector<std::string> lines; // each with its prefix, without newline
  int status = 0;                 // the exit status of nvlink; 0: the link continues
  // True for errors about the whole program: nvlink still prints the output of -v and
  // -dump-callgraph.
  bool tells_about_program = true;
};

// Returns the output of nvlink of a toolkit, times ten, for these messages: its words, its order,
// and only messages before the point at which it stops.
[[nodiscard]] NvlinkReport nvlink_report(const std::vector<Message> &messages, u32 toolkit = 130);

// A message of another program about device links.
struct ForeignMessage {
  std::string_view pattern; // of a line; * matches any text
  std::string_view speaker;
  std::string_view meaning;
  std::string_view way_out;
};
[[nodiscard]] std::span<const ForeignMessage> foreign_messages();

// Explains a message and its remedies, for a terminal. The words are its id, the message as printed
// by culink, nvlink or another program, or a part of it. Lists all matches if there are several;
// nothing if there is none.
[[nodiscard]] std::optional<std::string> explain_message(std::string_view words);

// All messages with explanations: docs/message-list.md.
[[nodiscard]] std::string message_list();

} // namespace culink
