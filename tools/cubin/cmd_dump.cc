// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cubin dump: reads tolerantly, prints what can be read and warns about the rest. A file with a
// problem makes the exit code 1, but never stops the files after it.
#include "cmd_dump.h"

#include <memory>
#include <string>
#include <unistd.h>
#include <vector>

#include "elf/elf_view.h"
#include "open_input.h"
#include "text/dump.h"

namespace culink::tools {

namespace {

struct DumpArguments {
  std::vector<std::string> files;
  text::DumpOptions options;
  bool json = false;
};

// True when all went well.
bool dump_one(const std::string &argument, const text::DumpOptions &options, text::DumpSink &sink) {
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
  bool clean = true;
  text::dump_file(input->name, *view, options, sink, [&](const Error &warning) {
    print_warning(input->name, warning);
    clean = false;
  });
  return clean;
}

int run_dump(const DumpArguments &arguments) {
  TextOut out(STDOUT_FILENO);
  const std::unique_ptr<text::DumpSink> sink =
      arguments.json ? text::make_json_sink(out) : text::make_text_sink(out);
  bool clean = true;
  sink->begin();
  for (const std::string &file : arguments.files)
    clean = dump_one(file, arguments.options, *sink) && clean;
  sink->end();
  return finish_output(out) && clean ? 0 : 1;
}

} // namespace

void add_dump_command(CLI::App &app, int &exit_code) {
  const auto arguments = std::make_shared<DumpArguments>(); // lives in the callback
  CLI::App *command = app.add_subcommand("dump", "Show what is in a cubin");
  command->add_option("FILE", arguments->files, "Device ELF files")->required();
  command->add_flag("--header", arguments->options.header, "The file header");
  command->add_flag("--sections", arguments->options.sections, "The section table");
  command->add_flag("--json", arguments->json, "The same facts as JSON");
  command->callback([arguments, &exit_code] { exit_code = run_dump(*arguments); });
}

} // namespace culink::tools
