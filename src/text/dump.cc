// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parts every ELF file has: header, sections. Rows go out as they are met; nothing is collected
// first, so listing the sections of a large file costs its section table and no more.
#include "text/dump.h"

#include <array>

namespace culink::text {

namespace {

void dump_header(const elf::ElfView &file, DumpSink &sink) {
  const elf::FileHeader &header = file.header();
  sink.open_record("header", "Header");
  sink.field({"class", "class"}, number(header.elf_class() == elf::ElfClass::Elf64 ? 64 : 32));
  sink.field({"machine", "machine"}, number(header.machine));
  sink.field({"type", "type"}, number(static_cast<u16>(header.type)));
  sink.field({"flags", "flags"}, hex(header.flags));
  sink.field({"sections", "sections"}, number(header.section_count));
  sink.close_record();
}

void dump_sections(const elf::ElfView &file, DumpSink &sink) {
  static constexpr std::array<Column, 10> kColumns{{{"index", "index", 5},
                                                    {"offset", "offset", 10},
                                                    {"size", "size", 10},
                                                    {"entsize", "entsize", 7},
                                                    {"align", "align", 5},
                                                    {"type", "type", -16},
                                                    {"flags", "flags", 10},
                                                    {"link", "link", 4},
                                                    {"info", "info", 4},
                                                    {"name", "name"}}};
  sink.open_list("sections", "Sections");
  sink.headings(kColumns);
  for (const elf::Section &section : file.sections()) {
    const std::array<Value, 10> values{
        number(section.index),   hex(section.offset),   hex(section.size),
        hex(section.entsize),    number(section.align), label(static_cast<u32>(section.type), ""),
        hex(section.flags),      number(section.link),  hex(section.info),
        text::name(section.name)};
    sink.open_row();
    for (size_t i = 0; i < kColumns.size(); ++i)
      sink.field(kColumns[i], values[i]);
    sink.close_row();
  }
  sink.close_list();
}

} // namespace

void dump_file(std::string_view name, const elf::ElfView &file, const DumpOptions &options,
               DumpSink &sink, const WarningSink &warn) {
  for (const Error &violation : file.violations())
    warn(violation);
  sink.begin_file(name);
  if (options.header)
    dump_header(file, sink);
  if (options.sections)
    dump_sections(file, sink);
  sink.end_file();
}

} // namespace culink::text
