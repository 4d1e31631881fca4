// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The layout of the file: header, section data, section table and program headers only.
// One walk over the sections in file order finds overlaps and bytes that do not belong to any.
//
// NVIDIA's tools do two unusual things. A Mercury section without bytes of its own has the offset
// and the size of its SASS counterpart. And Mercury sections of a no-data type occupy bytes of the
// file, with undefined contents; those of toolkit 13.5 do not, and its section table is not
// aligned.
#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "elf/wire.h"
#include "support/bytes.h"
#include "verify/file/verify_findings.h"

namespace culink::verify {

using elf::ElfView;
using elf::Section;

namespace {

[[nodiscard]] bool lies_before_headers(const ElfView &view, const Section &s) {
  const u64 headers = view.header().shoff;
  return s.offset <= headers && s.size <= headers - s.offset;
}

// True if a section has bytes in the file.
[[nodiscard]] bool takes_room(const ElfView &view, const Section &s) {
  if (s.size == 0 || s.type == elf::SectionType::Null)
    return false;
  return !s.no_data() || (s.is_mercury() && lies_before_headers(view, s));
}

[[nodiscard]] bool may_share_bytes(const Section &a, const Section &b) {
  return a.offset == b.offset && a.size == b.size && a.is_mercury() != b.is_mercury();
}

// Returns the sections with bytes, by offset, without those that the view refused; so no sum
// overflows.
[[nodiscard]] std::vector<const Section *> in_file_order(const ElfView &view, bool &all_there) {
  std::vector<const Section *> out;
  for (const Section &s : view.sections()) {
    if (!takes_room(view, s))
      continue;
    if (slice(view.file(), s.offset, s.size))
      out.push_back(&s);
    else
      all_there = false;
  }
  const auto lies_before = [](const Section *a, const Section *b) {
    return std::pair(a->offset, a->index) < std::pair(b->offset, b->index);
  };
  if (!std::ranges::is_sorted(out, lies_before)) // they nearly always are
    std::ranges::sort(out, lies_before);
  return out;
}

// Returns the name, for messages, of the section that owns the last bytes; null: the header.
[[nodiscard]] std::string name_of(const Section *owner) {
  return owner ? describe_section(*owner) : "ELF header";
}

[[nodiscard]] bool is_used(u8 byte) {
  return byte != 0;
}

// Checks the bytes between two sections; `after` is the section after them.
void check_gap(const ElfView &view, u64 begin, u64 end, const Section *after, Findings &findings) {
  if (begin >= end)
    return;
  const ByteSpan gap = view.file().subspan(begin, end - begin);
  const auto used = std::ranges::find_if(gap, is_used);
  if (used != gap.end())
    findings.push(Rule::SectionGap, name_of(after), "",
                  fmt::format("byte {:#x} behind it belongs to no section and is {:#04x}, not 0",
                              begin + static_cast<u64>(used - gap.begin()), *used));
}

void check_alignment(const ElfView &view, Findings &findings) {
  for (const Section &s : view.sections()) {
    if (s.type == elf::SectionType::Null)
      continue;
    if (s.align > 1 && s.offset % s.align != 0)
      findings.in_section(Rule::SectionAlign, s, "sh_offset",
                          fmt::format("{:#x} is not a multiple of {:#x}", s.offset, s.align));
    if (s.addr != 0)
      findings.in_section(Rule::SectionAddress, s, "sh_addr",
                          fmt::format("is {:#x}, not 0", s.addr));
  }
}

[[nodiscard]] u64 end_of_header(const ElfView &view) {
  return view.header().elf_class() == elf::ElfClass::Elf64 ? sizeof(elf::wire::Ehdr64)
                                                           : sizeof(elf::wire::Ehdr32);
}

// True if all sections are known; only then can bytes between them be checked.
[[nodiscard]] bool knows_all_sections(const elf::FileHeader &h) {
  return h.shnum == 0 || h.section_count == h.shnum;
}

// Returns the end of the last table in the file, or of the section data if there is no table.
[[nodiscard]] u64 end_of_tables(const ElfView &view, u64 data_end) {
  const elf::FileHeader &h = view.header();
  u64 end = data_end;
  const auto extend = [&](u64 offset, u64 size) {
    if (const std::optional<u64> table_end = checked_add(offset, size))
      end = std::max(end, *table_end);
  };
  if (h.shoff != 0)
    extend(h.shoff, u64{h.section_count} * h.shentsize);
  if (h.phnum != 0)
    extend(h.phoff, u64{h.phnum} * h.phentsize);
  return std::min<u64>(end, view.file().size());
}

// The range of the bytes of all sections.
struct Extent {
  bool all_there;                 // the places of all sections are known
  u64 end;                        // of the bytes of sections
  const Section *owner = nullptr; // the section that ends at `end`
};

Extent check_sections(const ElfView &view, Findings &findings) {
  check_alignment(view, findings);
  Extent e{knows_all_sections(view.header()), end_of_header(view)};
  for (const Section *s : in_file_order(view, e.all_there)) {
    if (s->offset < e.end) {
      if (!e.owner || !may_share_bytes(*e.owner, *s))
        findings.in_section(Rule::SectionOverlap, *s, [&] {
          return FieldMessage{"sh_offset", fmt::format("{:#x} lies inside {}, which ends at {:#x}",
                                                       s->offset, name_of(e.owner), e.end)};
        });
    } else if (e.all_there) {
      check_gap(view, e.end, s->offset, e.owner, findings);
    }
    if (s->offset + s->size > e.end) {
      e.end = s->offset + s->size;
      e.owner = s;
    }
  }
  return e;
}

} // namespace

void check_layout(const ElfView &view, Findings &findings) {
  const elf::FileHeader &h = view.header();
  const auto [all_there, end, owner] = check_sections(view, findings);
  if (h.shoff != 0 && h.shoff < end)
    findings.push(Rule::HeaderTables, "ELF header", "e_shoff",
                  fmt::format("the section table at {:#x} lies inside {}, which ends at {:#x}",
                              h.shoff, name_of(owner), end));
  if (all_there)
    check_gap(view, end, std::min<u64>(h.shoff, view.file().size()), owner, findings);
  if (h.shoff % 8 != 0 && !(h.shoff == end && view.find(".nv.merc.symtab")))
    findings.push(Rule::HeaderTables, "ELF header", "e_shoff",
                  fmt::format("{:#x} is not a multiple of 8", h.shoff));

  const u64 tables_end = end_of_tables(view, end);
  if (all_there && tables_end < view.file().size())
    findings.push(Rule::FileTrailing, "file", "",
                  fmt::format("{} bytes follow the last table, which ends at {:#x}",
                              view.file().size() - tables_end, tables_end));
}

} // namespace culink::verify
