// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// No field has two values. Of two relocations for one field nvlink 13.0 adds up the values if the
// table has no addends, and otherwise stores that of the first entry over the other. Compilers do
// give one instruction two relocations, for different bits.
//
// The offsets of nearly all tables only grow or only fall, which is seen at once; the others are
// sorted. What may surprise: fields of data may overlap by halves, because ptxas writes pointers of
// 8 bytes into arrays of 4 (the loader fills them). In debug information none do.
//
// Two more rules about single entries keep the linker, nvlink and the checker of one opinion: a
// field of machine code begins with an instruction, and a value has a symbol it comes from. Of
// 4,090 objects of compilers and relocatable links none breaks them.
#include "input/check_fields.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "arch/instructions.h"
#include "arch/reloc.h"

namespace culink {

namespace {

// Whether the fields of two relocations at one offset have a bit in common.
bool share_bits(const arch::RelocInfo &a, const arch::RelocInfo &b) {
  for (const arch::RelocPiece &first : a.pieces)
    for (const arch::RelocPiece &second : b.pieces)
      if (first.word_bit < second.word_bit + second.width &&
          second.word_bit < first.word_bit + first.width)
        return true;
  return false;
}

// One relocation.
struct FieldUse {
  u64 offset = 0;
  const arch::RelocInfo *row = nullptr;
  const elf::Section *table = nullptr;
  u32 index = 0; // in the table
  bool debug = false;
};

// Branch tables of Mercury code that nvlink -r has made of two definitions have several for one
// field; whoever reads them knows (Q040).
bool may_repeat(const FieldUse &use) {
  return use.row->value == arch::ValueKind::CodeOffset;
}

// Whether a field lies at an offset that is not before it.
bool reaches(const FieldUse &use, u64 offset) {
  return offset == use.offset || (use.debug && offset - use.offset < use.row->field_bytes);
}

bool collide(const FieldUse &first, const FieldUse &second) {
  return first.offset != second.offset ||
         (share_bits(*first.row, *second.row) && !may_repeat(second));
}

std::optional<Error> find_collision(std::vector<FieldUse> uses) {
  std::stable_sort(uses.begin(), uses.end(),
                   [](const FieldUse &a, const FieldUse &b) { return a.offset < b.offset; });
  // Of any number that may repeat one is enough, so that few have one offset.
  const auto same = std::unique(uses.begin(), uses.end(), [](const FieldUse &a, const FieldUse &b) {
    return a.offset == b.offset && may_repeat(a) && may_repeat(b);
  });
  uses.erase(same, uses.end());
  for (size_t i = 0; i < uses.size(); ++i)
    for (size_t other = i + 1; other < uses.size() && reaches(uses[i], uses[other].offset); ++other)
      if (collide(uses[i], uses[other]))
        return Error{elf::describe_section(*uses[other].table),
                     fmt::format("r_offset of entry {}", uses[other].index),
                     fmt::format("entry {} of {} already gives a value to the field at {:#x}",
                                 uses[i].index, elf::describe_section(*uses[i].table),
                                 uses[i].offset)};
  return std::nullopt;
}

// The sizes of the fields of relocations. Tables have few types, often one after the other.
class FieldSizes {
public:
  [[nodiscard]] u64 of(u32 type) {
    Known &known = known_[type % known_.size()];
    if (known.type != type) [[unlikely]] {
      const arch::RelocInfo *row = arch::find_reloc(type);
      known = {type, row && row->has_field() ? row->field_bytes : 1u};
    }
    return known.size;
  }

private:
  struct Known {
    u32 type = 0; // of no field
    u32 size = 1;
  };
  std::array<Known, 8> known_;
};

// Whether an entry is for machine code but not for the beginning of an instruction.
bool is_misplaced(const elf::Relocation &entry) {
  return entry.offset % arch::kInstructionSize != 0 && entry.type < arch::kFirstMercuryReloc;
}

Error misplaced_entry(const elf::Section &table, const elf::RelocationTable &entries) {
  u32 i = 0;
  while (!is_misplaced(entries[i]))
    ++i;
  return {elf::describe_section(table), fmt::format("r_offset of entry {}", i),
          fmt::format("no instruction begins at {:#x}", entries[i].offset)};
}

// What there is to know of most tables: their entries only grow or only fall, so that no two of
// their fields have a byte in common.
struct TableScan {
  bool misplaced = false; // some entry is
  bool distinct = false;
};

TableScan scan_entries(const elf::RelocationTable &entries, bool debug) {
  if (entries.empty())
    return {.distinct = true};
  const bool falls = entries[0].offset > entries[entries.size() - 1].offset;
  bool misplaced = false;
  u32 steps = 0; // that only grow or only fall, as the first and the last entry do
  u64 last = entries[0].offset;
  if (debug) {
    FieldSizes sizes;
    u64 last_size = sizes.of(entries[0].type);
    entries.for_each([&](const elf::Relocation &next) {
      const u64 size = sizes.of(next.type);
      steps += (falls ? next.offset < last && last - next.offset >= size
                      : last < next.offset && next.offset - last >= last_size)
                   ? 1
                   : 0;
      last = next.offset;
      last_size = size;
    });
  } else {
    entries.for_each([&](const elf::Relocation &next) {
      misplaced |= is_misplaced(next);
      steps += (falls ? next.offset < last : last < next.offset) ? 1 : 0;
      last = next.offset;
    });
  }
  return {misplaced, steps == entries.size() - 1};
}

// What the parser has seen of a table is enough as a rule. Fields of debug information have sizes,
// too.
inline TableScan scan_table(const elf::ElfView &view, const elf::Section &table, bool debug) {
  if (table.offsets_ordered && table.offset_bits % arch::kInstructionSize == 0 && !debug)
    return {.distinct = true};
  return scan_entries(view.relocations(table), debug);
}

void add_uses(const InputObject &object, const elf::Section &table, std::vector<FieldUse> &uses) {
  const elf::RelocationTable entries = object.view.relocations(table);
  const bool debug = object.kinds[table.info].is_debug();
  for (u32 i = 0; i < entries.size(); ++i)
    if (const arch::RelocInfo *row = arch::find_reloc(entries[i].type); row && row->has_field())
      uses.push_back({entries[i].offset, row, &table, i, debug});
}

} // namespace

std::optional<Error> check_fields(const InputObject &object, std::span<const u32> tables) {
  // The last table of each section, and of each table the one before it for the same section.
  std::vector<u32> last(object.kinds.size(), 0), before(object.kinds.size(), 0);
  std::vector<u8> distinct(object.kinds.size(), 0);
  bool doubtful = false; // some section needs a closer look
  for (const u32 index : tables) {
    const elf::Section &table = object.section(index);
    const elf::SectionKind &target = object.kinds[table.info];
    const TableScan scan = scan_table(object.view, table, target.is_debug());
    if (scan.misplaced && target.role == elf::SectionRole::Text)
      return misplaced_entry(table, object.view.relocations(table));
    distinct[index] = scan.distinct ? 1 : 0;
    before[index] = std::exchange(last[table.info], index);
    doubtful |= !scan.distinct || before[index] != 0;
  }
  if (!doubtful)
    return std::nullopt;
  for (const u32 table : last) {
    if (table == 0 || (before[table] == 0 && distinct[table] != 0))
      continue;
    std::vector<FieldUse> uses;
    for (u32 i = table; i != 0; i = before[i])
      add_uses(object, object.section(i), uses);
    if (std::optional<Error> error = find_collision(std::move(uses)))
      return error;
  }
  return std::nullopt;
}

} // namespace culink
