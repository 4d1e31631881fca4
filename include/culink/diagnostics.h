// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "culink/types.h"

namespace culink {

// Bug: the linker contradicted itself. No output is given then, as with an error.
enum class Severity : u8 { Info, Warning, Error, Bug };

// What a link has to say, as data. Programs ask `id`, which is stable from release to release;
// people read `text`.
struct Message {
  Severity severity = Severity::Error;
  std::string id;                     // "undefined-reference"
  std::string text;                   // "undefined symbol: f"
  std::vector<std::string> arguments; // what fills the blanks of the text: names, sizes, files
  std::vector<std::string> notes;     // where, and who else
  std::string hint;                   // what to do about it, or empty
};

// The message as the program `culink` prints it, with a newline at the end of each line:
//   culink: error: undefined symbol: f
//   >>> referenced by main.cubin
//   hint: ...
[[nodiscard]] std::string format_message(const Message &message, std::string_view program);

} // namespace culink
