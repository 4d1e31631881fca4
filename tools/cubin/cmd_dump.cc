// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cubin dump: reads tolerantly, prints what can be read and warns about the rest.
#include "cmd_dump.h"

#include <memory>
#include <string>
#include <vector>

#include "device_code.h"
#include "messages.h"
#include "text/dump/dump.h"

namespace culink::tools {

namespace {

struct DumpArguments {
  CodeArguments code;
  text::DumpOptions options;
  bool all = false;
  OutputFlags form;
};

// --all, and what a person wants to see who asks for nothing in particular.
void choose_parts(DumpArguments &arguments) {
  text::DumpOptions &show = arguments.options;
  const bool chosen = show.header || show.sections || show.segments || show.symbols ||
                      show.relocations || show.info || show.callgraph || show.notes ||
                      show.records || !show.hex.empty();
  if (arguments.all)
    show.segments = show.relocations = show.info = show.callgraph = show.notes = show.records =
        true;
  if (arguments.all || !chosen)
    show.header = show.sections = show.symbols = true;
}

int run_dump(const DumpArguments &arguments) {
  return show(arguments.form, [&](text::Sink &sink) {
    bool clean = true;
    const auto dump = [&](const Image &image) -> std::function<void()> {
      return [&, image] {
        text::dump_file(image.name, *image.view, arguments.options, sink,
                        [&](const Error &warning) {
                          print_warning(image.name, warning);
                          clean = false;
                        });
      };
    };
    return for_each_image(arguments.code, dump) && clean;
  });
}

} // namespace

void add_dump_command(CLI::App &app, int &exit_code) {
  const auto arguments = std::make_shared<DumpArguments>(); // lives in the callback
  text::DumpOptions &show = arguments->options;
  CLI::App *command = app.add_subcommand("dump", "Show what is in a cubin");
  add_code_arguments(*command, arguments->code);
  command->add_flag("--header", show.header, "The file header, its flags decoded");
  command->add_flag("--sections", show.sections, "The section table");
  command->add_flag("--segments", show.segments, "The program headers and what they cover");
  command->add_flag("--symbols", show.symbols, "All symbol tables");
  command->add_flag("--relocs", show.relocations, "Relocations by name");
  command->add_flag("--info", show.info, "The attributes in .nv.info sections");
  command->add_flag("--callgraph", show.callgraph, "Call graph and function prototypes");
  command->add_flag("--notes", show.notes, "Notes and compatibility attributes");
  command->add_flag("--records", show.records, "The other sections of known layout");
  command->add_flag("--all", arguments->all, "All of the above");
  command->add_option("--hex", show.hex, "The bytes of the section NAME; may be repeated")
      ->type_name("NAME")
      ->allow_extra_args(false);
  command->add_flag("--demangle", show.demangle, "Show C++ names as in the source");
  add_output_flags(*command, arguments->form, "The same facts");
  command->footer("Without a choice: header, sections and symbols.\n"
                  "Exit status: 0 all was read, 1 something was damaged or missing, 2 usage.");
  command->callback([arguments, &exit_code] {
    choose_parts(*arguments);
    exit_code = run_dump(*arguments);
  });
}

} // namespace culink::tools
