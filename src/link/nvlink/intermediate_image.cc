// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The Mercury counterpart of reserved shared memory takes room in the file, although memory has no
// bytes. nvlink copies the bytes from where the section would be in its intermediate image, an ELF
// file of the Mercury plane alone: padding, and, since no other section follows, the first headers
// of the section table (Q102). So the layout of that file is computed here, up to those headers.
// Sound links have zeros instead.
#include "link/nvlink/intermediate_image.h"

#include <algorithm>

#include "elf/codec.h"
#include "elf/names.h"
#include "elf/records/nv_compat.h"
#include "support/bytes.h"

namespace culink::nvlink {

using elf::SectionType;

namespace {

constexpr u64 kFileHeader = 64, kSectionHeader = 64, kSymbol = 24;
constexpr u64 kMercuryCodeAlign = 16;

// The image lacks attributes that finalizing adds, and those that only finalized files have.
u64 size_of_compat(const CompatRules &rules, ByteSpan compat) {
  elf::CompatSection section = elf::decode_compat(compat);
  std::erase_if(section.records, [&rules](const elf::CompatRecord &record) {
    return std::ranges::find(rules.sass_drops, record.attribute) != rules.sass_drops.end() ||
           std::ranges::find(rules.finalizer, record.attribute, &elf::CompatRecord::attribute) !=
               rules.finalizer.end();
  });
  return elf::encode_compat(section).size();
}

// True for code of functions, but not for the stub of a unified one.
bool is_code(const OutputSections &sections, OutId id) {
  return sections.function(id).valid() && sections[id].type == SectionType::Progbits;
}

u64 size_of_section(const IntermediateImage &image, OutId id) {
  const OutSection &s = image.layout.sections[id];
  if (elf::has_no_file_data(s.type))
    return 0;
  if (image.layout.sections.function(id).valid()) // stubs since 13.1 are shorter in objects
    return is_code(image.layout.sections, id) ? s.size : align_up(s.size, s.align);
  const u64 size = image.elf.sections[image.content[id.value]].size;
  return id == image.layout.sections.compat && size != 0
             ? size_of_compat(image.program.policy.compat, image.compat)
             : size;
}

u64 size_of_names(const std::vector<elf::TableName> &names) {
  return elf::place_names(nullptr, static_cast<u32>(names.size()), [&](u32 i) { return names[i]; })
      .size;
}

u64 size_of_section_names(const IntermediateImage &image) {
  std::vector<std::string> kept(image.section_count);
  std::vector<elf::TableName> names;
  for (u32 i = 0; i < image.section_count; ++i) {
    if (image.elf.sections[elf::SectionId(i)].discarded())
      continue;
    kept[i] = elf::mercury_link_name(image.elf.sections.name(elf::SectionId(i)));
    names.push_back({kept[i]});
  }
  return size_of_names(names);
}

struct SymbolTables {
  u64 names = 0, symbols = 0; // bytes of .strtab and .symtab
};

SymbolTables size_of_symbols(const IntermediateImage &image) {
  using Sharing = elf::TableName::Sharing;
  std::vector<elf::TableName> names;
  for (const std::string_view text : image.program.calls.prototypes)
    names.push_back({.text = text, .sharing = text.empty() ? Sharing::Separately : Sharing::Equal});
  u64 symbols = 1;
  for (const elf::SymbolPart part : {elf::SymbolPart::Local, elf::SymbolPart::Global})
    for (u32 i = 0; i < image.elf.symbols.size(); ++i) {
      const elf::SymbolSpec spec = image.elf.symbols.spec(elf::SymbolId(i), image.elf.sections);
      if (spec.part != part || !spec.named)
        continue;
      names.push_back({spec.name});
      symbols += spec.emitted;
    }
  return {size_of_names(names), symbols * kSymbol};
}

// The header of a string table.
void append_header(std::vector<u8> &bytes, u32 name, u64 offset, u64 size) {
  elf::append_le(bytes, name);
  elf::append_le(bytes, static_cast<u32>(SectionType::Strtab));
  elf::append_le(bytes, u64{0}); // sh_flags
  elf::append_le(bytes, u64{0}); // sh_addr
  elf::append_le(bytes, offset);
  elf::append_le(bytes, size);
  elf::append_le(bytes, u64{0}); // sh_link, sh_info
  elf::append_le(bytes, u64{1}); // sh_addralign
  elf::append_le(bytes, u64{0}); // sh_entsize
}

} // namespace

std::vector<u8> bytes_of_memory(const IntermediateImage &image, OutId memory) {
  if (!image.program.policy.leaks_headers)
    return {};
  const u64 section_names = size_of_section_names(image);
  const SymbolTables tables = size_of_symbols(image);
  u64 cursor = align_up(kFileHeader + section_names + tables.names, 8) + tables.symbols;
  u64 start = 0;
  for (const OutId id : image.order) {
    const OutSection &s = image.layout.sections[id];
    cursor = align_up(cursor, is_code(image.layout.sections, id) ? kMercuryCodeAlign : s.align);
    if (id == memory)
      start = cursor;
    cursor += size_of_section(image, id);
  }
  std::vector<u8> bytes(align_up(cursor, 8) - start + kSectionHeader); // the null section's header
  // .shstrtab and .strtab come first; no target has more reserved memory than their headers take.
  constexpr u32 kFirstName = 1, kSecondName = kFirstName + sizeof(".shstrtab");
  append_header(bytes, kFirstName, kFileHeader, section_names);
  append_header(bytes, kSecondName, kFileHeader + section_names, tables.names);
  bytes.resize(image.layout.sections[memory].size);
  return bytes;
}

} // namespace culink::nvlink
