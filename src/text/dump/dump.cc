// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One file's dump: its parts in a fixed order. Each part reads the file again, which costs little,
// because the view decodes on demand; so a part can be asked for alone.
#include "text/dump/dump.h"

#include <fmt/format.h>

#include "text/dump/dump_parts.h"

namespace culink::text {

namespace {

// Section names need not be unique; all of that name are shown.
void dump_hex(const DumpContext &context) {
  context.sink.open_list("hex", "Contents");
  for (const std::string &wanted : context.options.hex) {
    bool found = false;
    for (const elf::Section &section : context.file.sections()) {
      if (section.index == 0 || section.name != wanted)
        continue;
      found = true;
      context.sink.open_row();
      put_section(context.sink, section);
      context.sink.put("size", hex(section.size));
      context.sink.bytes({"bytes", ""}, section.data);
      context.sink.close_row();
    }
    if (!found)
      context.warn({wanted, "", "no such section"});
  }
  context.sink.close_list();
}

} // namespace

void dump_file(std::string_view file_name, const elf::ElfView &file, const DumpOptions &options,
               Sink &sink, const WarningSink &warn) {
  for (const Error &violation : file.violations())
    warn(violation);
  const DumpContext context{file, options, sink, warn};
  sink.begin_file(file_name);
  if (options.header)
    dump_header(context);
  if (options.sections)
    dump_sections(context);
  if (options.segments)
    dump_segments(context);
  if (options.symbols)
    dump_symbols(context);
  if (options.relocations)
    dump_relocations(context);
  if (options.info)
    dump_info(context);
  if (options.callgraph) {
    dump_callgraph(context);
    dump_prototypes(context);
  }
  if (options.notes) {
    dump_notes(context);
    dump_compat(context);
  }
  if (options.records)
    dump_records(context);
  if (!options.hex.empty())
    dump_hex(context);
  sink.end_file();
}

} // namespace culink::text
