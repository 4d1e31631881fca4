// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The file header, with what the ABI bytes and e_flags say about the target.
#include "elf/names.h"
#include "elf/target/elf_flags.h"
#include "inspect/dump/dump_parts.h"

namespace culink::text {

namespace {

std::string_view code_kind_name(u8 kind) {
  switch (static_cast<arch::CodeKind>(kind)) {
  case arch::CodeKind::Capmerc:
    return "capmerc";
  case arch::CodeKind::Sass:
    return "sass";
  }
  return "";
}

void put_target(const elf::ElfView &file, Sink &sink) {
  const arch::FileTarget target = arch::target_of(file);
  sink.field({"target", "target"}, name(target.name));
  sink.field({"sm", "sm"}, number(target.flags.sm));
  if (target.flags.old_layout()) {
    sink.field({"virtual_sm", "virtual sm"}, number(target.flags.virtual_sm));
    sink.field({"address_64", "64-bit addresses"}, flag(target.flags.address_64));
    sink.field({"texture_unified", "unified textures"}, flag(target.flags.texture_unified));
    sink.field({"texture_independent", "own textures"}, flag(target.flags.texture_independent));
  } else {
    sink.field({"code_kind", "code kind"},
               label(target.flags.code_kind, code_kind_name(target.flags.code_kind)));
    sink.field({"cuinfo_section", "cuinfo section"}, number(target.flags.cuinfo_section));
  }
  if (target.flags.other != 0)
    sink.field({"flags_other", "other flags"}, hex(target.flags.other));
}

} // namespace

void dump_header(const DumpContext &context) {
  const elf::FileHeader &header = context.file.header();
  Sink &sink = context.sink;
  sink.open_record("header", "Header");
  sink.field({"class", "class"}, number(header.elf_class() == elf::ElfClass::Elf64 ? 64 : 32));
  sink.field({"type", "type"}, label(static_cast<u16>(header.type),
                                     elf::kFileTypeNames.name_of(header.type).value_or("")));
  sink.field({"machine", "machine"}, label(header.machine, header.is_cuda() ? "CUDA" : ""));
  sink.field({"osabi", "OS ABI"}, hex(header.ident[elf::kIdentOsAbi]));
  sink.field({"abi_version", "ABI version"}, number(header.ident[elf::kIdentAbiVersion]));
  sink.field({"flags", "flags"}, hex(header.flags));
  if (header.is_cuda())
    put_target(context.file, sink);
  sink.field({"version", "version"}, number(header.version));
  sink.field({"entry", "entry"}, hex(header.entry));
  sink.field({"section_offset", "section headers"}, hex(header.shoff));
  sink.field({"section_count", "sections"}, number(header.section_count));
  sink.field({"section_names", "section names"}, number(header.name_section));
  sink.field({"segment_offset", "program headers"}, hex(header.phoff));
  sink.field({"segment_count", "segments"}, number(header.phnum));
  sink.field({"file_size", "file size"}, number(context.file.file().size()));
  sink.close_record();
}

} // namespace culink::text
