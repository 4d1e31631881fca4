// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "command.h"
#include "input/device_file.h"
#include "inspect/dump/sink.h"

namespace culink::tools {

// What FILE says in the help of every command.
inline constexpr const char *kFilesHelp =
    "Cubins, fatbins, objects, archives, libraries or programs; FILE:MEMBER; - is standard input";

// The files of a command and what of their code is wanted.
struct CodeArguments {
  std::vector<std::string> files;
  CodeSelection selection;
};

// Adds FILE..., --target and --kernel to a command; or the latter two alone.
void add_code_arguments(Command &command, CodeArguments &arguments);
void add_code_selection(Command &command, CodeSelection &selection);
// "1 difference", "2 differences".
[[nodiscard]] std::string counted(u64 count, std::string_view noun);
// "sm_75" and so on: those that the library knows.
[[nodiscard]] std::vector<std::string> target_names();

// Adds --relocatable: without it, a command shows the linked code of a program and not the objects
// of its device link.
void add_leftovers_flag(Command &command, CodeSelection &selection);
// Says on standard error that they are not shown.
void print_left_out(const std::string &file, u64 objects);
// The name of an image as a heading, which tells leftovers from linked code.
[[nodiscard]] std::string heading(const std::string &name, const FoundCode &code);

// Calls `look` for every image with machine code in the files (input/device_file.h), and prints
// what cannot be read. False if there was such a thing.
[[nodiscard]] bool for_each_image(const CodeArguments &arguments,
                                  const std::function<std::function<void()>(const Image &)> &look);

// The form of what a command shows.
struct OutputFlags {
  bool json = false;
  bool csv = false;
  bool markdown = false;

  [[nodiscard]] bool is_text() const { return !json && !csv && !markdown; }
  [[nodiscard]] text::Format format() const;
};
// Adds --json, --csv and --markdown.
void add_output_flags(Command &command, OutputFlags &flags);

// The frame of the commands that show something: calls `show_all` between the beginning and the end
// of the output, which it may also write to itself. The exit code of the command.
[[nodiscard]] int show(const OutputFlags &flags,
                       const std::function<bool(text::Sink &, TextOut &)> &show_all);

// A line for each finding about `name`, or one that says that there is none.
void print_findings(const std::string &name, const std::vector<std::string> &findings,
                    std::string_view if_none, TextOut &out);
// Warns about what is damaged in an image. True if there is nothing.
bool print_violations(const Image &image);

// Prints a problem as an error or a warning.
void print_problem(const Problem &problem);

// Machine code that was named alone.
struct OneImage {
  DeviceFile file;
  const FoundCode *code;
  std::string name;
  std::vector<u8> unpacked; // empty: it lies in the file as it is

  [[nodiscard]] ByteSpan bytes() const { return unpacked.empty() ? code->bytes : unpacked; }
};

// The image of an argument that has one, or one that is linked.
[[nodiscard]] Result<OneImage> open_one_image(const std::string &argument,
                                              const CodeSelection &selection = {});

} // namespace culink::tools
