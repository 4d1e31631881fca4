// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cubin dump: reads tolerantly, prints what can be read and warns about the rest.
#include "command.h"

#include <string>
#include <vector>

#include "device_code.h"
#include "inspect/dump/dump.h"

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

int dump_command(Command &command) {
  DumpArguments arguments;
  text::DumpOptions &show = arguments.options;
  add_code_arguments(command, arguments.code);
  command.add({
      {"header", "", "The file header, its flags decoded", &show.header},
      {"sections", "", "The section table", &show.sections},
      {"segments", "", "The program headers and what they cover", &show.segments},
      {"symbols", "", "All symbol tables", &show.symbols},
      {"relocs", "", "Relocations by name", &show.relocations},
      {"info", "", "The attributes in .nv.info sections", &show.info},
      {"callgraph", "", "Call graph and function prototypes", &show.callgraph},
      {"notes", "", "Notes and compatibility attributes", &show.notes},
      {"records", "", "The other sections of known layout", &show.records},
      {"all", "", "All of the above", &arguments.all},
      {"hex", "<name>", "The bytes of the section <name>; may be repeated", &show.hex},
      {"demangle", "", "Show C++ names as in the source", &show.demangle},
  });
  add_output_flags(command, arguments.form);
  if (!command.parse())
    return command.status();
  choose_parts(arguments);
  return run_dump(arguments);
}

} // namespace culink::tools
