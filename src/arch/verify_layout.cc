// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where things lie in the file: header, section data, section table, program headers, nothing else.
// One walk over the sections in file order finds overlaps and bytes that belong to nothing.
//
// Two habits of NVIDIA's tools matter. A Mercury section without bytes of its own points at those
// of its SASS twin: same offset, same size. And Mercury sections of a no-data type do take room in
// the file, filled with whatever lay there.
#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "arch/verify_findings.h"
#include "base/bytes.h"
#include "elf/wire.h"

namespace culink::verify {

using elf::ElfView;
using elf::Section;

namespace {

[[nodiscard]] bool takes_room(const Section &s) {
  if (s.type == elf::SectionType::Null || s.size == 0)
    return false;
  return !s.no_data() || s.is_mercury();
}

[[nodiscard]] bool may_share_bytes(const Section &a, const Section &b) {
  return a.offset == b.offset && a.size == b.size && a.is_mercury() != b.is_mercury();
}

// Sections with bytes, by offset; those that the view refused are left out, so every sum fits.
[[nodiscard]] std::vector<const Section *> in_file_order(const ElfView &view, bool &all_there) {
  std::vector<const Section *> out;
  for (const Section &s : view.sections()) {
    if (!takes_room(s))
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

// How the section is called whose bytes come last; before the first one comes the header.
[[nodiscard]] std::string name_of(const Section *owner) {
  return owner ? describe_section(*owner) : "ELF header";
}

// Checks the bytes between two things; `after` is the one before them.
void check_gap(const ElfView &view, u64 begin, u64 end, const Section *after, Findings &findings) {
  if (begin >= end)
    return;
  const ByteSpan gap = view.file().subspan(begin, end - begin);
  const auto used = std::ranges::find_if(gap, [](u8 byte) { return byte != 0; });
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
      findings.in_section(Rule::SectionAlign, s, [&] {
        return FieldMessage{"sh_offset",
                            fmt::format("{:#x} is not a multiple of {:#x}", s.offset, s.align)};
      });
    if (s.addr != 0)
      findings.in_section(Rule::SectionAddress, s, [&] {
        return FieldMessage{"sh_addr", fmt::format("is {:#x}, not 0", s.addr)};
      });
  }
}

// The end of the last table in the file, or of the section data where there is no table.
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

} // namespace

void check_layout(const ElfView &view, Findings &findings) {
  check_alignment(view, findings);

  const elf::FileHeader &h = view.header();
  const bool wide = h.elf_class() == elf::ElfClass::Elf64;
  u64 end = wide ? sizeof(elf::wire::Ehdr64) : sizeof(elf::wire::Ehdr32);
  const Section *owner = nullptr; // of the bytes up to `end`
  // Bytes between sections mean something only when it is known where all sections are.
  bool all_there = h.shnum == 0 || h.section_count == h.shnum;
  for (const Section *s : in_file_order(view, all_there)) {
    if (s->offset < end) {
      if (!owner || !may_share_bytes(*owner, *s))
        findings.in_section(Rule::SectionOverlap, *s, [&] {
          return FieldMessage{"sh_offset", fmt::format("{:#x} lies inside {}, which ends at {:#x}",
                                                       s->offset, name_of(owner), end)};
        });
    } else if (all_there) {
      check_gap(view, end, s->offset, owner, findings);
    }
    if (s->offset + s->size > end) {
      end = s->offset + s->size;
      owner = s;
    }
  }

  if (h.shoff != 0 && h.shoff < end)
    findings.push(Rule::HeaderTables, "ELF header", "e_shoff",
                  fmt::format("the section table at {:#x} lies inside {}, which ends at {:#x}",
                              h.shoff, name_of(owner), end));
  if (all_there)
    check_gap(view, end, std::min<u64>(h.shoff, view.file().size()), owner, findings);
  if (h.shoff % 8 != 0)
    findings.push(Rule::HeaderTables, "ELF header", "e_shoff",
                  fmt::format("{:#x} is not a multiple of 8", h.shoff));

  const u64 tables_end = end_of_tables(view, end);
  if (all_there && tables_end < view.file().size())
    findings.push(Rule::FileTrailing, "file", "",
                  fmt::format("{} bytes follow the last table, which ends at {:#x}",
                              view.file().size() - tables_end, tables_end));
}

} // namespace culink::verify
