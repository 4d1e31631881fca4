// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Relocations: a known type of the table's own list, a field that ends inside the section, and in
// code the address of an instruction. Symbols and offsets have been checked by the view. Offsets of
// Mercury code count bytes of the expanded code, not of the capsule in the file, so they are not
// checked.
#include <fmt/format.h>

#include "verify/file/verify_findings.h"

namespace culink::verify {

using elf::ElfView;
using elf::Relocation;
using elf::Section;

namespace {

// Whether entries can be decoded; other tables have findings already.
[[nodiscard]] bool is_readable(const ElfView &view, const Section &table) {
  return table.info != 0 && table.info < view.sections().size();
}

void check_place(const Section &table, const Section &target, const arch::RelocInfo &row,
                 const Relocation &r, u32 index, Findings &findings) {
  const u64 field = row.field_bytes;
  // The view has refused an offset outside the section.
  if (r.offset < target.size && field > target.size - r.offset)
    findings.in_section(Rule::RelocationOffset, table, [&] {
      return FieldMessage{fmt::format("r_offset of entry {}", index),
                          fmt::format("{} writes {} bytes at {:#x} of {}, which has {:#x}",
                                      row.name, field, r.offset, describe_section(target),
                                      target.size)};
    });
  if ((target.flags & elf::kFlagExec) != 0 && r.offset % kInstructionSize != 0)
    findings.in_section(Rule::RelocationAlign, table, [&] {
      return FieldMessage{fmt::format("r_offset of entry {}", index),
                          fmt::format("{:#x} is not the start of an instruction", r.offset)};
    });
}

} // namespace

void check_relocations(const ElfView &view, const Section &table, Findings &findings) {
  if (!is_readable(view, table))
    return;
  const Section &target = view.sections()[table.info];
  const bool mercury = table.is_mercury();
  const elf::RelocationTable entries = view.relocations(table);
  for (u32 i = 0; i < entries.size(); ++i) {
    const Relocation r = entries[i];
    const arch::RelocInfo *row = arch::find_reloc(r.type);
    // nvlink leaves empty entries where a texture reference needs no relocation.
    if (r.type == 0 && r.symbol == 0)
      continue;
    if (!row || (r.type >= arch::kFirstMercuryReloc) != mercury)
      findings.in_section(Rule::RelocationType, table, [&] {
        return FieldMessage{
            fmt::format("r_info of entry {}", i),
            fmt::format("type {:#x} is {}", r.type, row ? "of the other list" : "not known")};
      });
    else if (!mercury)
      check_place(table, target, *row, r, i, findings);
  }
}

} // namespace culink::verify
