// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Relocations: a known type of the table's own list, a field that ends inside the section, and in
// code the address of an instruction. Symbols and offsets have been checked by the view. Offsets of
// Mercury code count bytes of the expanded code, not of the capsule in the file, so they are not
// checked.
#include <fmt/format.h>

#include "verify/verify_findings.h"

namespace culink::verify {

using elf::ElfView;
using elf::Relocation;
using elf::Section;

namespace {

// Whether entries can be decoded; other tables have findings already.
[[nodiscard]] bool is_readable(const ElfView &view, const Section &table) {
  return table.info != 0 && table.info < view.sections().size();
}

// Whether the parser has seen that no entry of a table of code breaks a rule: each is at an
// instruction, which is what it changes at most, and the code ends with a whole one.
[[nodiscard]] bool are_at_instructions(FileMemory &memory, const Section &table,
                                       const Section &target) {
  return table.offset_bits % kInstructionSize == 0 && (target.flags & elf::kFlagExec) != 0 &&
         target.size % kInstructionSize == 0 && !table.is_mercury() &&
         memory.has_usual_relocations();
}

// Whether no entry of a table of machine code breaks a rule: a quick test that nearly all tables
// pass.
[[nodiscard]] bool are_right(const arch::RelocRows &rows, const elf::RelocationTable &entries,
                             const Section &table, const Section &target) {
  if (table.is_mercury())
    return false;
  bool all_inside = true;
  u64 offsets = 0; // all bits that are set in some
  entries.for_each([&, size = target.size](const Relocation &r) {
    const arch::RelocInfo *row = rows.find_cuda(r.type);
    if (!row || r.offset >= size || row->field_bytes > size - r.offset)
      all_inside = false;
    offsets |= r.offset;
  });
  return all_inside && ((target.flags & elf::kFlagExec) == 0 || offsets % kInstructionSize == 0);
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

bool FileMemory::find_usual_relocations() const {
  constexpr u32 kTypes = 256; // which the parser tells apart
  if (view_.may_have_relocations(~u32{0}))
    return false;
  for (u32 type = 0; type < kTypes; ++type) {
    const arch::RelocInfo *row = relocation_rows.find_cuda(type);
    if (view_.may_have_relocations(type) && (!row || row->field_bytes > kInstructionSize))
      return false;
  }
  return true;
}

void check_relocations(const Section &table, FileMemory &memory, Findings &findings) {
  const ElfView &view = memory.view();
  const arch::RelocRows &rows = memory.relocation_rows;
  if (!is_readable(view, table))
    return;
  const Section &target = view.sections()[table.info];
  if (are_at_instructions(memory, table, target))
    return;
  const elf::RelocationTable entries = view.relocations(table);
  if (are_right(rows, entries, table, target))
    return;
  for (u32 i = 0; i < entries.size(); ++i) {
    const Relocation r = entries[i];
    const arch::RelocInfo *row = rows.find(r.type);
    // nvlink leaves empty entries where a texture reference needs no relocation.
    if (r.type == 0 && r.symbol == 0)
      continue;
    if (!row || (r.type >= arch::kFirstMercuryReloc) != table.is_mercury())
      findings.in_section(Rule::RelocationType, table, [&] {
        return FieldMessage{
            fmt::format("r_info of entry {}", i),
            fmt::format("type {:#x} is {}", r.type, row ? "of the other list" : "not known")};
      });
    else if (!table.is_mercury())
      check_place(table, target, *row, r, i, findings);
  }
}

} // namespace culink::verify
