// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "culink/types.h"

namespace culink {

// Bug: an internal error of the linker. As with an error, there is no output.
enum class Severity : u8 { Info, Warning, Error, Bug };

// A place that a message refers to. Its text form is "<role> <file>:<member>: <symbol>, <detail>".
struct Origin {
  std::string role;   // "referenced by", "defined in"; may be empty
  std::string file;   // as it was given; empty: no file, the symbol alone
  std::string member; // of an archive, or empty
  std::string symbol; // the function or variable there, mangled, or empty
  std::string detail; // the property of that place: "16 bytes"; or empty
};

// A message of a link, as data. Programs use `id`, which is the same in every release; people read
// `text`.
struct Message {
  static constexpr u32 kWholeLink = ~u32{0};

  Severity severity = Severity::Error;
  std::string id;                     // "undefined-reference"
  std::string text;                   // "undefined symbol: _Z1fv"
  std::vector<std::string> arguments; // of the text: names, sizes, files
  std::vector<Origin> origins;        // the places that it refers to
  std::vector<std::string> notes;     // further facts
  std::string hint;                   // what to do about it, or empty
  u32 step = kWholeLink; // messages of one input have one number, ascending with the inputs
};

struct MessageStyle {
  bool demangle = true; // C++ names as in the source
  bool color = false;   // with escape sequences for a terminal
  std::string target;   // named in every message, unless empty
};

// The message as the program `culink` prints it, with a newline at the end of each line:
//   culink: error: undefined symbol: f(int)
//   >>> referenced by main.cubin: kernel(int*)
//   hint: ...
[[nodiscard]] std::string format_message(const Message &message, std::string_view program,
                                         const MessageStyle &style = {});

// A message as one line of JSON, with a newline at its end.
[[nodiscard]] std::string format_message_json(const Message &message, std::string_view target = {});

} // namespace culink
