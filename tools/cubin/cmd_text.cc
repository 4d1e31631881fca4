// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cubin text: reads tolerantly, because the exact form also works for broken files. Writes the form
// to standard output or to the named file.
#include "command.h"

#include <string>

#include "device_code.h"
#include "elf/elf_view.h"
#include "support/bytes.h"
#include "yaml/document/document.h"
#include "yaml/text_form.h"

namespace culink::tools {

namespace {

// The minimal form lists omitted parts in a comment.
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

} // namespace

int text_command(Command &command) {
  std::string file, output = "-";
  CodeSelection selection;
  bool exact = false;
  command.add({required(
      {"FILE", "", "A file with one image; or FILE:MEMBER; - is standard input", &file})});
  add_code_selection(command, selection);
  command.add({
      {"exact", "", "All of it: assemble gives the same bytes", &exact},
      {"output,o", "<file>", "Where to write (standard output)", &output},
  });
  if (!command.parse())
    return command.status();
  const Result<OneImage> input = open_one_image(file, selection);
  if (!is_there(file, input) || overwrites(output, file))
    return 1;
  const Result<elf::ElfView> view = elf::ElfView::open_tolerant(input->bytes());
  if (!is_there(input->name, view))
    return 1;
  const Result<std::string> yaml = text_of(*view, exact);
  return is_there(input->name, yaml) && write_output(output, as_bytes(*yaml)) ? 0 : 1;
}

} // namespace culink::tools
