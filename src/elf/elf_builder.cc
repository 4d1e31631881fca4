// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Collecting what a file shall hold. Everything is kept in order of creation, because that order is
// visible in the output: it is the order of the string tables and, inside a bucket, of the section
// table. Numbers and offsets do not exist before lay_out().
#include "elf/elf_builder.h"

#include <cstring>
#include <utility>

#include "base/bytes.h"

namespace culink::elf {

Bucket default_bucket(std::string_view name, SectionType type, u64 flags) {
  if (is_symbol_table(type) || type == SectionType::Strtab || type == SectionType::SymtabShndx)
    return Bucket::Tables;
  if (is_relocation_table(type))
    return Bucket::Relocations;
  if (type == SectionType::Progbits &&
      (name.starts_with(".debug_") || name.starts_with(".nv_debug_")))
    return Bucket::Debug;
  if ((flags & kFlagAlloc) == 0)
    return Bucket::Metadata;
  if ((flags & kFlagExec) != 0)
    return Bucket::Code;
  if ((flags & kFlagWrite) == 0)
    return Bucket::Constants;
  return has_no_file_data(type) ? Bucket::NoData : Bucket::Data;
}

ElfBuilder::ElfBuilder(const BuilderOptions &options)
    : options_(options), arena_(std::make_unique<std::pmr::monotonic_buffer_resource>()) {
  const bool wide = options.elf_class == ElfClass::Elf64;
  add_section({.name = ".shstrtab", .type = SectionType::Strtab});
  add_section({.name = ".strtab", .type = SectionType::Strtab});
  add_section({.name = ".symtab",
               .type = SectionType::Symtab,
               .align = wide ? 8u : 4u,
               .entsize = wide ? 24u : 16u,
               .link = strtab()});
  // Emitted by lay_out() when the indices of some sections do not fit a symbol.
  add_section({.name = ".symtab_shndx",
               .type = SectionType::SymtabShndx,
               .align = 4,
               .entsize = 4,
               .link = symtab(),
               .emitted = false});
  for (u32 i = 0; i < 4; ++i)
    add_section_symbol(SectionId(i), false);
}

ElfBuilder::~ElfBuilder() = default;
ElfBuilder::ElfBuilder(ElfBuilder &&) noexcept = default;
ElfBuilder &ElfBuilder::operator=(ElfBuilder &&) noexcept = default;

std::string_view ElfBuilder::keep(std::string_view text) {
  if (text.empty())
    return {};
  char *copy = static_cast<char *>(arena_->allocate(text.size(), 1));
  std::memcpy(copy, text.data(), text.size());
  return {copy, text.size()};
}

void ElfBuilder::reserve(const Room &room) {
  sections_.reserve(room.sections);
  symbols_.reserve(room.symbols);
}

SectionId ElfBuilder::add_section(const SectionSpec &spec) {
  sections_.push_back(SectionState{.spec = spec}).spec.name = keep_name(spec.name);
  return SectionId(static_cast<u32>(sections_.size() - 1));
}

u64 ElfBuilder::append(SectionId id, ByteSpan borrowed, u64 align) {
  SectionState &state = sections_[id.value];
  const u64 offset = align_up(state.size, align);
  if (offset == 0 && state.size == 0)
    state.first = borrowed;
  else if (!borrowed.empty())
    pieces_.append(state.more, {offset, borrowed});
  state.size = offset + borrowed.size();
  return offset;
}

u64 ElfBuilder::append_copy(SectionId id, ByteSpan bytes, u64 align) {
  return append(id, as_bytes(keep(as_text(bytes))), align);
}

MutableByteSpan ElfBuilder::append_room(SectionId id, u64 size) {
  if (size == 0)
    return {};
  const MutableByteSpan bytes(static_cast<u8 *>(arena_->allocate(size, 1)), size);
  append(id, bytes);
  return bytes;
}

u64 ElfBuilder::append_zeros(SectionId id, u64 size, u64 align) {
  SectionState &state = sections_[id.value];
  const u64 offset = align_up(state.size, align);
  state.size = offset + size;
  return offset;
}

SymbolId ElfBuilder::add_symbol(const SymbolSpec &spec) {
  SymbolSpec &symbol = symbols_.push_back(spec);
  symbol.name = keep_name(spec.name);
  symbol.part = part_of(spec);
  return SymbolId(static_cast<u32>(symbols_.size() - 1));
}

SymbolId ElfBuilder::add_section_symbol(SectionId id, bool emitted) {
  const SectionSpec &section = sections_[id.value].spec;
  symbols_.push_back({.name = section.name, // already kept
                      .binding = SymbolBinding::Local,
                      .type = SymbolType::Section,
                      .section = id,
                      .name_number = section.name_number,
                      .part = SymbolPart::Local,
                      .emitted = emitted});
  return SymbolId(static_cast<u32>(symbols_.size() - 1));
}

void ElfBuilder::rename_section(SectionId id, std::string_view old_name) {
  old_names_.push_back({id, keep(old_name)});
  sections_[id.value].spec.name_number = kNoNumber;
}

void ElfBuilder::rename_symbol(SymbolId id, std::string_view new_name) {
  late_names_.push_back({id, keep(new_name)});
}

SectionId ElfBuilder::add_relocation_section(SectionId target, bool with_addends) {
  const bool wide = options_.elf_class == ElfClass::Elf64;
  std::string name(with_addends ? ".rela" : ".rel");
  name += section(target).name;
  return add_section({.name = keep(name),
                      .type = with_addends ? SectionType::Rela : SectionType::Rel,
                      .flags = kFlagInfoLink,
                      .align = wide ? 8u : 4u,
                      .entsize = (with_addends ? 3u : 2u) * (wide ? 8u : 4u),
                      .link = symtab(),
                      .info = target});
}

u32 ElfBuilder::add_string(std::string_view text, bool separately) {
  strings_.push_back({keep_name(text), separately});
  return static_cast<u32>(strings_.size() - 1);
}

Result<std::vector<u8>> ElfBuilder::finish() const {
  Result<ElfLayout> layout = lay_out();
  if (!layout)
    return layout.error();
  std::vector<u8> file(layout->file_size);
  write(*layout, file);
  return file;
}

} // namespace culink::elf
