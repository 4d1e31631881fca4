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

// When nvlink comes across something. What it finds at one stage it does not get to the next with.
enum class NvlinkStage : u8 { Options, Load, Merge, Program };

enum class NvlinkWeight : u8 {
  Silent,  // nvlink says nothing about it and goes on
  Info,    // goes on
  Warning, // goes on, unless -Werror makes it an error
  Error,   // looks for more of the kind, then gives up
  Fatal,   // gives up at once
};

// nvlink's words for a message. In the text {0} is an argument, {0x} the same as a hexadecimal
// number, {0d} demangled, {a} and {b} are the files of the first and second origin.
struct NvlinkRow {
  DiagId id;
  NvlinkStage stage;
  NvlinkWeight weight;
  std::string_view text;
  // When nvlink finds it out about a program: the rest comes last. Sizes of sections are one step.
  u32 step = kLastStep;
  std::string_view text_13_1 = {}; // that of 13.1 and later releases, where it is another one

  static constexpr u32 kLastStep = 6;
};
[[nodiscard]] std::span<const NvlinkRow> nvlink_rows();

struct NvlinkReport {
  std::vector<std::string> lines; // each with its prefix, without newline
  int status = 0;                 // what nvlink would exit with; 0: the link goes on
  // Errors about the program as a whole: nvlink still prints what -v and -dump-callgraph ask for.
  bool tells_about_program = true;
};

// What nvlink of a toolkit, times ten, prints where culink has these messages: its words, its
// order, and nothing behind the point at which it gives up.
[[nodiscard]] NvlinkReport nvlink_report(const std::vector<Message> &messages, u32 toolkit = 130);

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
