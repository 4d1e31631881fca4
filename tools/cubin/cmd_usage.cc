// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cubin usage: what each kernel and function needs of the machine.
#include "cmd_usage.h"

#include <memory>
#include <string>
#include <vector>

#include "device_code.h"
#include "inspect/usage.h"
#include "messages.h"
#include "text/dump/usage.h"

namespace culink::tools {

namespace {

struct UsageArguments {
  CodeArguments code;
  bool demangle = false;
  bool json = false;
};

// The functions that --kernel names; all without it.
ModuleUsage wanted_usage(const Image &image, const CodeSelection &selection) {
  ModuleUsage usage = inspect::collect_usage(*image.view);
  std::erase_if(usage.functions, [&](const FunctionUsage &function) {
    return !selection.takes_kernel(function.name);
  });
  return usage;
}

int run_usage(const UsageArguments &arguments) {
  return show(arguments.json, [&](text::DumpSink &sink) {
    bool clean = true;
    const auto show_usage = [&](const Image &image) -> std::function<void()> {
      return [&, image, usage = wanted_usage(image, arguments.code.selection)] {
        for (const Error &violation : image.view->violations()) {
          print_warning(image.name, violation);
          clean = false;
        }
        text::print_usage(image.name, usage, arguments.demangle, sink);
      };
    };
    return for_each_image(arguments.code, show_usage) && clean;
  });
}

} // namespace

void add_usage_command(CLI::App &app, int &exit_code) {
  const auto arguments = std::make_shared<UsageArguments>(); // lives in the callback
  CLI::App *command =
      app.add_subcommand("usage", "Show registers, stack and memory of each kernel");
  add_code_arguments(*command, arguments->code);
  command->add_flag("--demangle", arguments->demangle, "Show C++ names as in the source");
  command->add_flag("--json", arguments->json, "The same facts as JSON");
  command->callback([arguments, &exit_code] { exit_code = run_usage(*arguments); });
}

} // namespace culink::tools
