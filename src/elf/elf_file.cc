// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Building a file. Everything is kept in order of creation, because that order is visible in the
// output. Numbers and offsets are assigned by lay_out(), except the numbers of symbols, which only
// depend on the order of symbols.
#include "elf/elf_file.h"

#include <array>
#include <utility>

#include "elf/wire.h"
#include "support/bytes.h"

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

SymbolNumbers OutSymbols::numbers() const {
  SymbolNumbers out;
  out.of.resize(size());
  out.order.reserve(size());
  std::vector<u32> globals;
  for (u32 id = 0; id < size(); ++id)
    (is_local(entries_[id]) ? out.order : globals).push_back(id);
  const size_t locals = out.order.size();
  out.order.insert(out.order.end(), globals.begin(), globals.end());
  out.count = 1;
  for (size_t i = 0; i < out.order.size(); ++i) {
    if (i == locals)
      out.first_global = out.count;
    const u32 id = out.order[i];
    out.of[id] = is_emitted(entries_[id]) ? out.count++ : 0;
  }
  if (globals.empty())
    out.first_global = out.count;
  return out;
}

SectionTable::SectionTable() {
  add(".shstrtab", {.type = SectionType::Strtab, .presence = Presence::Always});
  add(".strtab", {.type = SectionType::Strtab, .presence = Presence::Always});
  add(".symtab", {.type = SectionType::Symtab,
                  .align = 8,
                  .entsize = sizeof(wire::Sym64),
                  .link = kStrtab,
                  .presence = Presence::Always});
  add(".symtab_shndx", {.type = SectionType::SymtabShndx,
                        .align = 4,
                        .entsize = 4,
                        .link = kSymtab,
                        .presence = Presence::NameOnly});
}

ElfFile::ElfFile(const FileOptions &file_options, SectionTable table)
    : options(file_options), sections(std::move(table)) {
  if (!wide()) {
    sections[kSymtab].align = 4;
    sections[kSymtab].entsize = sizeof(wire::Sym32);
  }
  for (u32 i = 0; i < SectionTable::kOwnTables; ++i)
    symbols.add_section(SectionId(i), false);
}

OutSection relocation_table(SectionId target, bool addends, bool wide) {
  const u64 word = wide ? 8 : 4;
  return {.type = addends ? SectionType::Rela : SectionType::Rel,
          .flags = kFlagInfoLink,
          .align = word,
          .entsize = (addends ? 3 : 2) * word,
          .link = SectionTable::kSymtab,
          .info = target};
}

SectionId ElfFile::add_relocation_section(SectionId target, bool with_addends) {
  OutSection table = relocation_table(target, with_addends, wide());
  table.presence = Presence::Always;
  return sections.add(sections.storage.keep(with_addends ? ".rela" : ".rel", sections.name(target)),
                      table);
}

// An entry is content with a fixup for the number of the symbol.
void ElfFile::add_relocation(SectionId table, const RelocationSpec &entry) {
  const bool with_addend = is_rela(sections[table].type);
  std::array<u8, sizeof(wire::Rela64)> bytes{};
  if (wide()) {
    store_le(bytes.data(), wire::Rel64{entry.offset, entry.type});
    if (with_addend)
      store_le(bytes.data() + sizeof(wire::Rel64), entry.addend);
  } else {
    store_le(bytes.data(), wire::Rel32{static_cast<u32>(entry.offset), entry.type & 0xff});
    if (with_addend)
      store_le(bytes.data() + sizeof(wire::Rel32), static_cast<i32>(entry.addend));
  }
  const u64 at = sections.append_copy(table, std::span(bytes).first(sections[table].entsize));
  if (entry.symbol.valid())
    sections.add_fixup(table,
                       wide() ? Fixup{at + 12, Fixup::Kind::RelocationSymbol, entry.symbol.value}
                              : Fixup{at + 4, Fixup::Kind::RelocationSymbol8, entry.symbol.value});
}

Result<std::vector<u8>> ElfFile::finish() const {
  WorkerPool alone(1);
  Result<ElfLayout> layout = lay_out(symbols.numbers(), alone);
  if (!layout)
    return layout.error();
  std::vector<u8> file(layout->file_size);
  write(*layout, file);
  return file;
}

} // namespace culink::elf
