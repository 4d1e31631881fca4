// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cubin dump: reads tolerantly, prints all readable parts and warns about the rest.
#include "command.h"

#include <string>
#include <vector>

#include "device_code.h"
#include "inspect/dump/dump.h"

namespace culink::tools {

int dump_command(Command &command) {
  CodeArguments code;
  text::DumpOptions parts;
  bool all = false;
  OutputFlags form;
  add_code_arguments(command, code);
  command.add({
      {"header", "", "The file header, its flags decoded", &parts.header},
      {"sections", "", "The section table", &parts.sections},
      {"segments", "", "The program headers and what they cover", &parts.segments},
      {"symbols", "", "All symbol tables", &parts.symbols},
      {"relocs", "", "Relocations by name", &parts.relocations},
      {"info", "", "The attributes in .nv.info sections", &parts.info},
      {"callgraph", "", "Call graph and function prototypes", &parts.callgraph},
      {"notes", "", "Notes and compatibility attributes", &parts.notes},
      {"records", "", "The other sections of known layout", &parts.records},
      {"all", "", "All of the above", &all},
      {"hex", "<name>", "The bytes of the section <name>; may be repeated", &parts.hex},
      {"demangle", "", "Show C++ names as in the source", &parts.demangle},
  });
  add_output_flags(command, form);
  if (!command.parse())
    return command.status();
  const bool chosen = parts.header || parts.sections || parts.segments || parts.symbols ||
                      parts.relocations || parts.info || parts.callgraph || parts.notes ||
                      parts.records || !parts.hex.empty();
  if (all)
    parts.segments = parts.relocations = parts.info = parts.callgraph = parts.notes =
        parts.records = true;
  if (all || !chosen)
    parts.header = parts.sections = parts.symbols = true;
  return show(form, [&](text::Sink &sink, TextOut &) {
    bool clean = true;
    const auto dump = [&](const Image &image) -> std::function<void()> {
      return [&, image] {
        text::dump_file(image.name, *image.view, parts, sink, [&](const Error &warning) {
          print_warning(image.name, warning);
          clean = false;
        });
      };
    };
    return for_each_image(code, dump) && clean;
  });
}

} // namespace culink::tools
