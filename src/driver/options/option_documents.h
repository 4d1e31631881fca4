// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace culink {

// An option as help, manual pages and completions show it.
struct OptionText {
  std::string_view name;        // after two dashes; empty: an argument, called `placeholder`
  std::string_view brief;       // after one dash; empty: none
  std::string_view placeholder; // of the value; empty: a flag
  std::string_view help;
  std::vector<std::string> values = {}; // for completion, if there are few
  bool required = false;
  bool repeats = false;
};

// Options that are listed together: a group, or the options of a command.
struct OptionList {
  std::string_view name; // a title, or the command
  std::string_view help; // of a command
  std::string_view more; // printed at the end
  std::vector<OptionText> options;
};

struct ProgramText {
  std::string_view name;
  std::string_view usage;    // the beginning of --help
  std::string_view man_head; // {0} is the version
  std::string_view man_tail;
  bool has_commands = false;
  std::vector<OptionList> lists;
};

// The text of culink, from its option table.
[[nodiscard]] ProgramText culink_text();

// The text of --help, and the help of a command.
[[nodiscard]] std::string help_text(const ProgramText &program);
[[nodiscard]] std::string command_help(std::string_view program, const OptionList &command);

// All options in another form: completions for "bash", "fish" and "zsh", the manual page as "man",
// and a table as "markdown".
[[nodiscard]] std::string option_document(const ProgramText &program, std::string_view form);

// The output of --version: the version of the program, and the releases of nvlink for --emulate.
[[nodiscard]] std::string version_text(std::string_view program);

} // namespace culink
