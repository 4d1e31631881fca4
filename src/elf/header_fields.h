// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Headers of the file, of sections and of segments: the mapping of stored fields of both classes to
// fields of the widened header. Each list is used in both directions: `copy(stored, widened)`.
#pragma once

#include <concepts>

#include "elf/elf_view.h"
#include "elf/wire.h"
#include "support/bytes.h"

namespace culink::elf {

template <typename Raw, typename Header, typename Copy>
  requires std::same_as<const Header, const FileHeader>
void header_fields(Raw &&raw, Header &header, Copy &&copy) {
  for (u32 i = 0; i < sizeof(raw.e_ident); ++i)
    copy(raw.e_ident[i], header.ident[i]);
  copy(raw.e_type, header.type);
  copy(raw.e_machine, header.machine);
  copy(raw.e_version, header.version);
  copy(raw.e_entry, header.entry);
  copy(raw.e_phoff, header.phoff);
  copy(raw.e_shoff, header.shoff);
  copy(raw.e_flags, header.flags);
  copy(raw.e_ehsize, header.ehsize);
  copy(raw.e_phentsize, header.phentsize);
  copy(raw.e_phnum, header.phnum);
  copy(raw.e_shentsize, header.shentsize);
  copy(raw.e_shnum, header.shnum);
  copy(raw.e_shstrndx, header.shstrndx);
}

template <typename Raw, typename Header, typename Copy>
  requires std::same_as<const Header, const Section>
void header_fields(Raw &&raw, Header &section, Copy &&copy) {
  copy(raw.sh_name, section.name_offset);
  copy(raw.sh_type, section.type);
  copy(raw.sh_flags, section.flags);
  copy(raw.sh_addr, section.addr);
  copy(raw.sh_offset, section.offset);
  copy(raw.sh_size, section.size);
  copy(raw.sh_link, section.link);
  copy(raw.sh_info, section.info);
  copy(raw.sh_addralign, section.align);
  copy(raw.sh_entsize, section.entsize);
}

template <typename Raw, typename Header, typename Copy>
  requires std::same_as<const Header, const Segment>
void header_fields(Raw &&raw, Header &segment, Copy &&copy) {
  copy(raw.p_type, segment.type);
  copy(raw.p_flags, segment.flags);
  copy(raw.p_offset, segment.offset);
  copy(raw.p_vaddr, segment.vaddr);
  copy(raw.p_paddr, segment.paddr);
  copy(raw.p_filesz, segment.filesz);
  copy(raw.p_memsz, segment.memsz);
  copy(raw.p_align, segment.align);
}

struct LoadField {
  template <typename Stored, typename Field> void operator()(const Stored &stored, Field &field) {
    field = static_cast<Field>(stored);
  }
};
struct StoreField {
  bool fits = true; // all fields so far fit

  template <typename Stored, typename Field> void operator()(Stored &stored, const Field &field) {
    stored = static_cast<Stored>(field);
    fits = fits && static_cast<Field>(stored) == field;
  }
};

// Precondition: `strings` ends with a NUL or is empty. Checks nothing, and does not set the data of
// the section.
template <typename Shdr>
[[nodiscard]] Section widen_section(const Shdr &raw, u32 index, ByteSpan strings) {
  Section out{.index = index, .name = string_in(strings, raw.sh_name)};
  header_fields(raw, out, LoadField{});
  return out;
}

// Stores the header at `out`, which has room for it. Returns false if a field does not fit.
template <typename Raw, typename Header>
[[nodiscard]] bool store_header(u8 *out, const Header &header) {
  Raw raw{};
  StoreField store;
  header_fields(raw, header, store);
  store_le(out, raw);
  return store.fits;
}

} // namespace culink::elf
