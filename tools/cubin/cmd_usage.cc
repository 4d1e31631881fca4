// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cubin usage: what each kernel and function needs of the machine.
#include "cmd_usage.h"

#include <memory>
#include <string>
#include <unistd.h>
#include <vector>

#include "elf/elf_view.h"
#include "open_input.h"
#include "text/usage.h"

namespace culink::tools {

namespace {

struct UsageArguments {
  std::vector<std::string> files;
  bool demangle = false;
  bool json = false;
};

// True when all went well.
bool show_usage(const std::string &argument, bool demangle, text::DumpSink &sink) {
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
  for (const Error &violation : view->violations())
    print_warning(input->name, violation);
  text::print_usage(input->name, text::collect_usage(*view), demangle, sink);
  return view->violations().empty();
}

int run_usage(const UsageArguments &arguments) {
  TextOut out(STDOUT_FILENO);
  const std::unique_ptr<text::DumpSink> sink =
      arguments.json ? text::make_json_sink(out) : text::make_text_sink(out);
  bool clean = true;
  sink->begin();
  for (const std::string &file : arguments.files)
    clean = show_usage(file, arguments.demangle, *sink) && clean;
  sink->end();
  return finish_output(out) && clean ? 0 : 1;
}

} // namespace

void add_usage_command(CLI::App &app, int &exit_code) {
  const auto arguments = std::make_shared<UsageArguments>(); // lives in the callback
  CLI::App *command =
      app.add_subcommand("usage", "Show registers, stack and memory of each kernel");
  command->add_option("FILE", arguments->files, "Device ELF files; - is standard input")
      ->required();
  command->add_flag("--demangle", arguments->demangle, "Show C++ names as in the source");
  command->add_flag("--json", arguments->json, "The same facts as JSON");
  command->callback([arguments, &exit_code] { exit_code = run_usage(*arguments); });
}

} // namespace culink::tools
