// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cubin usage: what each kernel and function needs of the machine.
#include "cmd_usage.h"

#include <memory>
#include <string>
#include <vector>

#include "inspect/usage.h"
#include "open_input.h"
#include "show_files.h"
#include "text/dump/usage.h"

namespace culink::tools {

namespace {

struct UsageArguments {
  std::vector<std::string> files;
  bool demangle = false;
  bool json = false;
};

int run_usage(const UsageArguments &arguments) {
  const auto show_usage = [&](const std::string &argument, text::DumpSink &sink) {
    return with_view(argument, [&](const std::string &name, const elf::ElfView &view) {
      for (const Error &violation : view.violations())
        print_warning(name, violation);
      text::print_usage(name, inspect::collect_usage(view), arguments.demangle, sink);
      return view.violations().empty();
    });
  };
  return show_files(arguments.files, arguments.json, show_usage);
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
