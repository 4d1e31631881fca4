// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cubin text: reads tolerantly, because the exact form holds for broken files as well; the form is
// on standard output unless a file is named.
#include "cmd_text.h"

#include <memory>
#include <string>

#include "device_code.h"
#include "elf/elf_view.h"
#include "messages.h"
#include "support/bytes.h"
#include "text/document/yaml_io.h"
#include "text/yaml/describe.h"

namespace culink::tools {

namespace {

struct TextArguments {
  std::string file;
  CodeSelection selection;
  std::string output = "-";
  bool exact = false;
};

// The minimal form says in a comment what it does not show.
Result<std::string> text_of(const elf::ElfView &view, bool exact) {
  if (exact)
    return text::write_yaml(text::describe_exact(view));
  const Result<text::MinimalDescription> minimal = text::describe_minimal(view);
  if (!minimal)
    return minimal.error();
  std::string comment;
  for (const std::string &what : minimal->left_out)
    comment += (comment.empty() ? "left out (use --exact to see it):\n  " : "  ") + what + "\n";
  return text::write_yaml(minimal->document, comment);
}

int run_text(const TextArguments &arguments) {
  const Result<OneImage> input = open_one_image(arguments.file, arguments.selection);
  if (!input) {
    print_error(arguments.file, input.error());
    return 1;
  }
  if (overwrites(arguments.output, arguments.file))
    return 1;
  const Result<elf::ElfView> view = elf::ElfView::open_tolerant(input->bytes());
  if (!view) {
    print_error(input->name, view.error());
    return 1;
  }
  const Result<std::string> yaml = text_of(*view, arguments.exact);
  if (!yaml) {
    print_error(input->name, yaml.error());
    return 1;
  }
  return write_output(arguments.output, as_bytes(*yaml)) ? 0 : 1;
}

} // namespace

void add_text_command(CLI::App &app, int &exit_code) {
  const auto arguments = std::make_shared<TextArguments>(); // lives in the callback
  CLI::App *command = app.add_subcommand("text", "Write a cubin as YAML that assemble takes back");
  command
      ->add_option("FILE", arguments->file,
                   "A file with one image; or FILE:MEMBER; - is standard input")
      ->required();
  add_code_selection(*command, arguments->selection);
  command->add_flag("--exact", arguments->exact, "All of it: assemble gives the same bytes");
  command->add_option("-o,--output", arguments->output, "Where to write (standard output)")
      ->type_name("FILE");
  command->footer(
      "Without --exact: functions, variables and undefined names, as a person would write\n"
      "them; a comment says what was left out. The form is described in docs/text-format.md.\n"
      "Exit status: 0 written, 1 a file failed, 2 usage.");
  command->callback([arguments, &exit_code] { exit_code = run_text(*arguments); });
}

} // namespace culink::tools
