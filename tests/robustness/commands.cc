// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All commands of `cubin` over one file, without the program around them. Besides not crashing they
// must agree with each other: what the strict view accepts has no violation, the installed reader
// opens what verifies and nothing that the strict view refuses, what differs from the original is
// told, exact text gives back the bytes, and the sizes of all parts are that of the file.
#include "commands.h"

#include <algorithm>

#include "culink/cubin_reader.h"
#include "elf/elf_view.h"
#include "inspect/diff/diff.h"
#include "inspect/dump/dump.h"
#include "inspect/dump/usage.h"
#include "inspect/reader/image_parts.h"
#include "inspect/reader/usage.h"
#include "support/text_out.h"
#include "verify/file/verify.h"
#include "yaml/document/document.h"
#include "yaml/text_form.h"

namespace culink::robustness {

namespace {

void dump_and_usage(const elf::ElfView &view) {
  text::DumpOptions options;
  options.header = options.sections = options.segments = options.symbols = true;
  options.relocations = options.info = options.callgraph = options.notes = options.records = true;
  options.demangle = true;
  using text::Format;
  for (const Format format : {Format::Text, Format::Json, Format::Csv, Format::Markdown}) {
    TextOut out;
    const auto sink = text::make_sink(format, out);
    sink->begin();
    text::dump_file("mutant", view, options, *sink, [](const Error &) {});
    const ModuleUsage usage = inspect::collect_usage(view);
    sink->begin_file("mutant");
    text::print_module(usage, *sink);
    text::print_rows(text::make_rows(usage, "", nullptr, false, std::nullopt),
                     {.demangled = format == Format::Json}, *sink);
    sink->end_file();
    sink->end();
  }
}

// Whether the installed reader opens the file; if so, everything that it gives is taken from it.
bool reads(ByteSpan file) {
  const Result<CubinReader> cubin = CubinReader::open(file, "mutant");
  if (!cubin)
    return false;
  (void)cubin->symbols();
  (void)cubin->relocations();
  (void)cubin->attributes();
  (void)cubin->notes();
  (void)cubin->tools();
  (void)cubin->usage();
  for (const CubinReader::Section &section : cubin->sections()) {
    (void)cubin->symbols(section);
    (void)cubin->relocations(section);
    (void)cubin->attributes(section);
  }
  return true;
}

// Exact text, written and read as YAML, assembles to the bytes it was made from.
bool reproduces(const elf::ElfView &view) {
  const Result<text::Node> document = text::read_yaml(text::write_yaml(text::describe_exact(view)));
  if (!document)
    return false;
  const Result<std::vector<u8>> again = text::assemble(*document);
  return again.ok() && std::ranges::equal(*again, view.file());
}

// Whether each byte has one owner.
bool divides(const elf::ElfView &view) {
  u64 sum = 0;
  for (const inspect::ImagePart &part : inspect::measure_image(view).parts)
    sum += part.size;
  return sum == view.file().size();
}

} // namespace

Outcome run_commands(ByteSpan file, ByteSpan original) {
  Outcome outcome;
  const Result<elf::ElfView> strict = elf::ElfView::open(file);
  const Result<elf::ElfView> view = elf::ElfView::open_tolerant(file);
  outcome.accepted = strict.ok();
  outcome.readable = view.ok();
  outcome.broken_law = strict.ok() && (!view.ok() || !view->violations().empty());
  if (!view)
    return outcome;

  dump_and_usage(*view);
  outcome.broken_law |= !divides(*view);
  outcome.verified = verify_device_elf(*view).empty();
  outcome.broken_law |= outcome.verified && !outcome.accepted;
  const bool read = reads(file);
  outcome.broken_law |= (read && !outcome.accepted) || (outcome.verified && !read);
  const Result<elf::ElfView> before = elf::ElfView::open_tolerant(original);
  if (before) {
    outcome.differs = !text::diff_files(*before, *view, {}).same();
    outcome.broken_law |= outcome.differs == std::ranges::equal(file, original);
  }
  outcome.described = reproduces(*view);
  outcome.broken_law |= !outcome.described;
  return outcome;
}

} // namespace culink::robustness
