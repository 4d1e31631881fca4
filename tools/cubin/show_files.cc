// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What `dump`, `usage` and `list` have in common. A file with a problem makes the exit code 1, but
// never stops the files after it.
#include "show_files.h"

#include <memory>
#include <unistd.h>

#include "open_input.h"

namespace culink::tools {

int show_files(const std::vector<std::string> &arguments, bool json,
               const std::function<bool(const std::string &, text::DumpSink &)> &show_one) {
  TextOut out(STDOUT_FILENO);
  const std::unique_ptr<text::DumpSink> sink =
      json ? text::make_json_sink(out) : text::make_text_sink(out);
  bool clean = true;
  sink->begin();
  for (const std::string &argument : arguments)
    clean = show_one(argument, *sink) && clean;
  sink->end();
  return finish_output(out) && clean ? 0 : 1;
}

bool with_view(const std::string &argument,
               const std::function<bool(const std::string &name, const elf::ElfView &)> &use) {
  const Result<Input> input = open_input(argument);
  if (!input) {
    print_error(argument, input.error());
    return false;
  }
  const Result<elf::ElfView> view = elf::ElfView::open_tolerant(input->bytes());
  if (!view) {
    print_error(input->name, view.error());
    return false;
  }
  return use(input->name, *view);
}

} // namespace culink::tools
