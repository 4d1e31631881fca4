// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Everything that `cubin dump` and `cubin usage` print, in each format, into memory.
#include "inspect/dump/dump.h"

#include "inspect/dump/usage.h"
#include "inspect/reader/usage.h"
#include "round_trip.h"
#include "targets.h"

using namespace culink;

int fuzz::dump_fuzz(const u8 *data, size_t size) {
  const Result<elf::ElfView> view = elf::ElfView::open_tolerant({data, size});
  if (!view)
    return 0;
  text::DumpOptions options;
  options.header = options.sections = options.segments = options.symbols = true;
  options.relocations = options.info = options.callgraph = options.notes = options.records = true;
  options.demangle = true;
  options.hex = {".nv.info", ".strtab"};
  const ModuleUsage usage = inspect::collect_usage(*view);
  using text::Format;
  for (const Format format : {Format::Text, Format::Json, Format::Csv, Format::Markdown}) {
    TextOut out;
    const auto sink = text::make_sink(format, out);
    sink->begin();
    text::dump_file("input", *view, options, *sink,
                    [](const Error &warning) { fuzz::require(!warning.message.empty()); });
    sink->begin_file("input");
    text::print_module(usage, *sink);
    text::print_rows(text::make_rows(usage, "", nullptr, false, std::nullopt), {.demangled = true},
                     *sink);
    sink->end_file();
    sink->end();
    fuzz::require(!out.text().empty());
  }
  return 0;
}
