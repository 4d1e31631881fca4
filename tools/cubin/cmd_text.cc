// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cubin text: reads tolerantly, because the exact form holds for broken files as well; the form is
// on standard output unless a file is named.
#include "command.h"

#include <string>

#include "device_code.h"
#include "elf/elf_view.h"
#include "support/bytes.h"
#include "yaml/document/document.h"
#include "yaml/text_form.h"

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

int text_command(Command &command) {
  TextArguments arguments;
  command.add({required({"FILE", "", "A file with one image; or FILE:MEMBER; - is standard input",
                         &arguments.file})});
  add_code_selection(command, arguments.selection);
  command.add({
      {"exact", "", "All of it: assemble gives the same bytes", &arguments.exact},
      {"output,o", "<file>", "Where to write (standard output)", &arguments.output},
  });
  return command.parse() ? run_text(arguments) : command.status();
}

} // namespace culink::tools
