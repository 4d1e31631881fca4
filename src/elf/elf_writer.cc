// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The checked interface of ElfFile for programs that use the library. An ElfFile trusts its caller:
// an invalid id, or content in a table that it fills itself, would cause writes out of bounds. This
// class checks each call, ignores invalid ones, and keeps the first error for finish(), so that
// callers need not check each call.
#include "culink/elf_writer.h"

#include <optional>
#include <utility>

#include <fmt/format.h>

#include "elf/elf_file.h"
#include "support/bytes.h"

namespace culink::elf {

class ElfWriter::Impl {
public:
  explicit Impl(const Options &options)
      : file({.type = options.type,
              .elf_class = options.elf_class,
              .flags = options.flags,
              .os_abi = options.os_abi,
              .abi_version = options.abi_version,
              .segments = options.segments}) {}

  [[nodiscard]] bool is_own(SectionId id) const { return id.value < file.sections.size(); }
  [[nodiscard]] bool is_own(SymbolId id) const { return id.value < file.symbols.size(); }
  [[nodiscard]] bool is_own(StringId id) const { return id.value < string_count; }

  // False, and an error for finish(), unless the id is one of this writer. `place` is what was
  // called, or the name of the section or symbol; `field` is what the id was given for.
  template <typename AnyId> bool check(AnyId id, std::string_view place, std::string_view field) {
    if (is_own(id))
      return true;
    refuse(place, field,
           id.valid() ? fmt::format("id {} is none of this writer", id.value)
                      : std::string("an empty id"));
    return false;
  }
  template <typename AnyId>
  bool check_optional(AnyId id, std::string_view place, std::string_view field) {
    return !id.valid() || check(id, place, field);
  }
  bool check_info(const InfoField &info, std::string_view place) {
    if (const auto *section = std::get_if<SectionId>(&info.value()))
      return check_optional(*section, place, "sh_info");
    if (const auto *number = std::get_if<InfoField::SymbolNumber>(&info.value()))
      return check(number->symbol, place, "sh_info");
    return true;
  }
  // The tables of names and symbols are filled by the writer only.
  bool check_content(SectionId id, std::string_view place, u64 added, u64 align) {
    if (!check(id, place, "section"))
      return false;
    const OutSection &section = file.sections[id];
    const std::string_view name = file.sections.name(id);
    if (id <= ElfFile::kSymtabShndx || is_relocation_table(section.type)) {
      refuse(name, place, "the writer makes the content of this section");
      return false;
    }
    if (!is_power_of_two(align)) {
      refuse(name, place, fmt::format("alignment {:#x} is not a power of two", align));
      return false;
    }
    if (added > kMaxSize - section.size) {
      refuse(name, place, fmt::format("{:#x} bytes more are too many", added));
      return false;
    }
    return true;
  }

  [[nodiscard]] bool has_relocations(const OutSection &table) const {
    const u64 words = is_rela(table.type) ? 3 : 2;
    return is_relocation_table(table.type) && table.entsize == words * (file.wide() ? 8 : 4);
  }

  [[nodiscard]] std::string_view keep(std::string_view text) {
    return file.sections.storage.keep(text);
  }

  void refuse(std::string_view place, std::string_view field, std::string message) {
    if (!misuse)
      misuse = Error{std::string(place), std::string(field), std::move(message)};
  }

  ElfFile file;
  u32 string_count = 0;
  std::optional<Error> misuse; // the first one

private:
  static constexpr u64 kMaxSize = u64{1} << 48; // keeps offsets far from an overflow
};

ElfWriter::ElfWriter(const Options &options) : impl_(std::make_unique<Impl>(options)) {}
ElfWriter::~ElfWriter() = default;
ElfWriter::ElfWriter(ElfWriter &&) noexcept = default;
ElfWriter &ElfWriter::operator=(ElfWriter &&) noexcept = default;

SectionId ElfWriter::shstrtab() const {
  return ElfFile::kShstrtab;
}
SectionId ElfWriter::strtab() const {
  return ElfFile::kStrtab;
}
SectionId ElfWriter::symtab() const {
  return ElfFile::kSymtab;
}

SectionId ElfWriter::add_section(const Section &section) {
  OutSection header{.type = section.type,
                    .flags = section.flags,
                    .align = section.align,
                    .entsize = section.entsize,
                    .presence = Presence::Always};
  if (impl_->check_optional(section.link, section.name, "sh_link"))
    header.link = section.link;
  if (impl_->check_info(section.info, section.name))
    header.info = section.info;
  return impl_->file.sections.add(impl_->keep(section.name), header);
}

void ElfWriter::set_flags(SectionId section, u64 flags) {
  if (impl_->check(section, "set_flags", "section"))
    impl_->file.sections[section].flags = flags;
}

void ElfWriter::set_link(SectionId section, SectionId link) {
  if (impl_->check(section, "set_link", "section") &&
      impl_->check_optional(link, impl_->file.sections.name(section), "sh_link"))
    impl_->file.sections[section].link = link;
}

void ElfWriter::set_info(SectionId section, InfoField info) {
  if (impl_->check(section, "set_info", "section") &&
      impl_->check_info(info, impl_->file.sections.name(section)))
    impl_->file.sections[section].info = info;
}

void ElfWriter::set_flags_section(SectionId section) {
  if (impl_->check(section, "set_flags_section", "section"))
    impl_->file.flags_section = section;
}

u64 ElfWriter::append(SectionId section, ByteSpan borrowed, u64 align) {
  if (!impl_->check_content(section, "append", borrowed.size(), align))
    return 0;
  return impl_->file.sections.append(section, borrowed, align);
}

u64 ElfWriter::append_copy(SectionId section, ByteSpan bytes, u64 align) {
  if (!impl_->check_content(section, "append_copy", bytes.size(), align))
    return 0;
  return impl_->file.sections.append_copy(section, bytes, align);
}

u64 ElfWriter::append_zeros(SectionId section, u64 size, u64 align) {
  if (!impl_->check_content(section, "append_zeros", size, align))
    return 0;
  return impl_->file.sections.append_zeros(section, size, align);
}

u64 ElfWriter::size(SectionId section) const {
  return impl_->is_own(section) ? impl_->file.sections[section].size : 0;
}

SymbolId ElfWriter::add_symbol(const Symbol &symbol) {
  SymbolSpec spec{.name = impl_->keep(symbol.name),
                  .binding = symbol.binding,
                  .type = symbol.type,
                  .other = symbol.other,
                  .special_section = symbol.special_section,
                  .value = symbol.value,
                  .size = symbol.size};
  if (impl_->check_optional(symbol.section, symbol.name, "st_shndx"))
    spec.section = symbol.section;
  return impl_->file.symbols.add(spec);
}

SymbolId ElfWriter::add_section_symbol(SectionId section) {
  if (!impl_->check(section, "add_section_symbol", "section"))
    return {};
  return impl_->file.symbols.add_section(section);
}

SectionId ElfWriter::add_relocation_section(SectionId target, bool with_addends) {
  if (!impl_->check(target, "add_relocation_section", "target"))
    return {};
  return impl_->file.add_relocation_section(target, with_addends);
}

void ElfWriter::add_relocation(SectionId table, const Relocation &relocation) {
  if (!impl_->check(table, "add_relocation", "table"))
    return;
  const std::string_view name = impl_->file.sections.name(table);
  if (!impl_->has_relocations(impl_->file.sections[table]))
    return impl_->refuse(name, "add_relocation", "not a table of relocations");
  if (!impl_->check_optional(relocation.symbol, name, "r_info"))
    return;
  impl_->file.add_relocation(
      table, {relocation.offset, relocation.type, relocation.symbol, relocation.addend});
}

StringId ElfWriter::add_string(std::string_view text) {
  ++impl_->string_count;
  return StringId(impl_->file.add_string(impl_->keep(text)));
}

void ElfWriter::store_symbol_number(SectionId section, u64 offset, SymbolId symbol) {
  if (impl_->check_content(section, "store_symbol_number", 0, 1) &&
      impl_->check(symbol, impl_->file.sections.name(section), "symbol number"))
    impl_->file.sections.add_fixup(section, {offset, Fixup::Kind::SymbolNumber, symbol.value});
}

void ElfWriter::store_section_index(SectionId section, u64 offset, SectionId named) {
  if (impl_->check_content(section, "store_section_index", 0, 1) &&
      impl_->check(named, impl_->file.sections.name(section), "section index"))
    impl_->file.sections.add_fixup(section, {offset, Fixup::Kind::SectionIndex, named.value});
}

void ElfWriter::store_string_offset(SectionId section, u64 offset, StringId string) {
  if (impl_->check_content(section, "store_string_offset", 0, 1) &&
      impl_->check(string, impl_->file.sections.name(section), "string offset"))
    impl_->file.sections.add_fixup(section, {offset, Fixup::Kind::StringOffset, string.value});
}

Result<std::vector<u8>> ElfWriter::finish() const {
  if (impl_->misuse)
    return *impl_->misuse;
  return impl_->file.finish();
}

} // namespace culink::elf
