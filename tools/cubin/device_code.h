// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "command.h"
#include "input/device_file.h"
#include "inspect/dump/sink.h"

namespace culink::tools {

// The description of FILE in the help of every command.
inline constexpr const char *kFilesHelp =
    "Cubins, fatbins, objects, archives, libraries or programs; FILE:MEMBER; - is standard input";

// The files of a command and the selected code in them.
struct CodeArguments {
  std::vector<std::string> files;
  CodeSelection selection;
};

// Adds FILE..., --target and --kernel to a command; the second function adds only the last two.
void add_code_arguments(Command &command, CodeArguments &arguments);
void add_code_selection(Command &command, CodeSelection &selection);
// Returns "1 difference" or "2 differences".
[[nodiscard]] std::string counted(u64 count, std::string_view noun);
// Returns the targets that the library knows: "sm_75" and so on.
[[nodiscard]] std::vector<std::string> target_names();

// Adds --relocatable. Without it, a command shows the linked code of a program and omits the
// objects of its device link.
void add_leftovers_flag(Command &command, CodeSelection &selection);
// Reports on standard error that these objects are omitted.
void print_left_out(const std::string &file, u64 objects);
// The name of an image as a heading, which distinguishes these objects from linked code.
[[nodiscard]] std::string heading(const std::string &name, const FoundCode &code);

// Calls `look` for every image with machine code in the files (input/device_file.h), and prints
// errors about unreadable ones. False if there was an error.
[[nodiscard]] bool for_each_image(const CodeArguments &arguments,
                                  const std::function<std::function<void()>(const Image &)> &look);

// The output format of a command.
struct OutputFlags {
  bool json = false;
  bool csv = false;
  bool markdown = false;

  [[nodiscard]] bool is_text() const { return !json && !csv && !markdown; }
  [[nodiscard]] text::Format format() const;
};
// Adds --json, --csv and --markdown.
void add_output_flags(Command &command, OutputFlags &flags);

// Calls `show_all` between the beginning and the end of the output. `show_all` may write to the
// output directly. Returns the exit status of the command.
[[nodiscard]] int show(const OutputFlags &flags,
                       const std::function<bool(text::Sink &, TextOut &)> &show_all);

// Prints a line for each finding about `name`, or `if_none`.
void print_findings(const std::string &name, const std::vector<std::string> &findings,
                    std::string_view if_none, TextOut &out);
// Warns about damaged parts of an image. True if there are none.
bool print_violations(const Image &image);

// Prints a problem as an error or a warning.
void print_problem(const Problem &problem);

// Machine code named by a single argument.
struct OneImage {
  DeviceFile file;
  const FoundCode *code;
  std::string name;
  std::vector<u8> unpacked; // empty if the file has it unpacked

  [[nodiscard]] ByteSpan bytes() const { return unpacked.empty() ? code->bytes : unpacked; }
};

// Returns the only image of an argument, or the only linked one.
[[nodiscard]] Result<OneImage> open_one_image(const std::string &argument,
                                              const CodeSelection &selection = {});

} // namespace culink::tools
