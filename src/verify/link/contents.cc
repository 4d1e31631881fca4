// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The contents of the output, block by block. A code section is one block. A data section has a
// block for each input, and its relocations are compared when all blocks are known. Sections are
// independent, so several threads share them; findings are joined in order.
#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "elf/target/instructions.h"
#include "elf/target/reloc.h"
#include "support/bytes.h"
#include "verify/link/link.h"

namespace culink::check {

// Compares a block with its place in the output. Its relocations determine the fields that must
// have changed and their values. All other bytes must be equal, including fields of kept
// relocations, because the loader adds to their values. Overlapping fields are compared together:
// if two relocations store to one place, the first in the table wins.
//
// What may surprise: debug information also describes discarded code, and discarded weak data
// remains in its block. Relocations there may have been applied, kept or dropped, because the
// result is not used.

namespace {

// A field that the linker has filled.
struct FilledField {
  u64 offset = 0; // in the input's section
  const arch::RelocInfo *row = nullptr;
  arch::FieldValue value;
  u32 symbol = 0; // of the input
  bool optional = false;
  bool unknown = false;
};

class BlockChecker {
public:
  BlockChecker(const Link &link, const Block &block, std::vector<KeptEntry> &kept, Report &report)
      : l_(link), b_(block), in_(link.program.objects[block.object]),
        source_(in_.section(block.section).data),
        out_(block.restored.empty() ? link.out.section(block.out).data : block.restored),
        kept_(kept), report_(report) {}

  void run() {
    find_discarded_data();
    read_relocations();
    if (in_.section(b_.section).no_data() || b_.any_bytes)
      return;
    if (b_.begin > b_.end || b_.end > source_.size())
      return report(FindingKind::Bytes, b_.begin, "a definition inside its section",
                    "one that ends at " + hex(b_.end));
    const u64 place = out_offset(b_.begin);
    if (place > out_.size() || b_.end - b_.begin > out_.size() - place)
      return report(FindingKind::Bytes, b_.begin, hex(b_.end - b_.begin) + " bytes",
                    "the section ends at " + hex(out_.size()));
    compare();
  }

private:
  void read_relocations() {
    u32 last = kNone;
    bool gone = false;
    Target target;
    in_.each_relocation(b_.section, [&](const elf::Relocation &raw, bool rela) {
      if (raw.offset < b_.begin || raw.offset >= b_.end)
        return;
      if (raw.symbol != last) { // often equal: the halves of an address are adjacent
        last = raw.symbol;
        target = target_of(l_, b_.object, raw.symbol, b_.node);
        gone = describes_gone_code(raw.symbol);
      }
      read(raw, rela, target, gone);
    });
  }

  void read(const elf::Relocation &raw, bool rela, const Target &target, bool gone) {
    const arch::RelocInfo *row = arch::find_reloc(raw.type);
    const bool optional = gone || (!discarded_.empty() && is_discarded(raw.offset));
    switch (treatment_of(l_, target, raw.type, row)) {
    case Treatment::Dropped:
      if (target.kind == TargetKind::GoneFunction && b_.live && !b_.debug && is_loaded() &&
          !optional && !l_.entity(b_.object, raw.symbol)->weak_reference)
        report(FindingKind::Reference, raw.offset,
               std::string(in_.symbols[raw.symbol].name) + " in the output", "it was left out");
      break;
    case Treatment::Kept:
      keep(raw, rela, target, row, optional);
      if (b_.any_schedule && row && is_filled_by_engine(l_, Treatment::Kept, rela))
        fields_.push_back({raw.offset, row, {}, raw.symbol, true, true});
      break;
    case Treatment::KeptAsNone:
      kept_.push_back({out_offset(raw.offset), raw.addend, 0, 0, rela, optional});
      break;
    case Treatment::Folded:
      fold(raw, rela, target, *row, optional);
      break;
    case Treatment::Cleared:
      fields_.push_back({raw.offset, row, {}, raw.symbol, optional, false});
      break;
    case Treatment::Anything:
      fields_.push_back({raw.offset, row, {}, raw.symbol, true, true});
      kept_.push_back({out_offset(raw.offset), raw.addend, raw.type, target.symbol, rela, true});
      break;
    }
  }

  void fold(const elf::Relocation &raw, bool rela, const Target &target, const arch::RelocInfo &row,
            bool optional) {
    arch::FieldValue addend{static_cast<u64>(raw.addend), 0};
    if (!rela)
      addend = arch::implicit_addend(source_, raw.offset, row).value_or(arch::FieldValue{});
    const u8 bank = target.kind == TargetKind::Image ? u8{0} : target.bank;
    arch::FieldValue sum = arch::add(row, {target.value + target.shift, bank}, addend);
    const std::optional<u64> load = target.kind == TargetKind::Image && b_.node != kNone
                                        ? load_of_index(out_, out_offset(raw.offset), row)
                                        : std::nullopt;
    if (load) { // the sum of both fields must be the slot
      sum.value -= begin_of_slots(out_, *load);
      fields_.push_back({*load - b_.base,
                         &arch::reloc_for(arch::RelocRole::ImageBase),
                         {},
                         raw.symbol,
                         false,
                         true});
    }
    // An addend in a field is negative if its top bit is set.
    const bool negative = !rela && addend.value >= row.range_end() / 2 && addend.value != 0;
    if (!target.unknown && !optional && !b_.debug && b_.live && !fits(row, sum.value) &&
        !(negative && fits(row, sum.value - row.range_end())))
      report(
          FindingKind::Field, raw.offset,
          fmt::format("{:#x} of {} to fit {}", sum.value, in_.symbols[raw.symbol].name, row.name),
          "it does not");
    fields_.push_back({raw.offset, &row, sum, raw.symbol, optional, target.unknown});
  }

  void keep(const elf::Relocation &raw, bool rela, const Target &target, const arch::RelocInfo *row,
            bool optional) {
    KeptEntry entry{out_offset(raw.offset), raw.addend, raw.type, target.symbol, rela, optional};
    if (row && l_.executable)
      entry.type = row->number_in_executable();
    if (!rela && row && (target.shift != 0 || !l_.executable))
      if (const auto implicit = arch::implicit_addend(source_, raw.offset, *row))
        entry.in_field = static_cast<i64>(implicit->value);
    if (target.shift != 0 && !rela) {
      // The section's part moved within the output section, so the entry needs an addend.
      entry.addend = entry.in_field;
      entry.explicit_addend = true;
    }
    entry.addend += static_cast<i64>(target.shift);
    if (target.unknown)
      entry.optional = true;
    kept_.push_back(entry);
  }

  // Finds the ranges of definitions that do not prevail.
  void find_discarded_data() {
    if (in_.kinds[b_.section].is_code() || in_.first_table[b_.section] == 0)
      return;
    for (u32 s = 1; s < in_.symbols.size(); ++s)
      if (const Outcome outcome = l_.program.outcome[b_.object][s];
          in_.symbols[s].section == b_.section &&
          (outcome == Outcome::Discarded || outcome == Outcome::Overridden))
        discarded_.emplace_back(in_.symbols[s].value, in_.symbols[s].value + in_.symbols[s].size);
    std::sort(discarded_.begin(), discarded_.end());
  }

  [[nodiscard]] bool is_discarded(u64 offset) const {
    const auto behind = std::upper_bound(discarded_.begin(), discarded_.end(),
                                         std::pair<u64, u64>(offset, ~u64{0}));
    return behind != discarded_.begin() && offset < std::prev(behind)->second;
  }

  // Sections that are not loaded may describe discarded code, under any name.
  [[nodiscard]] bool is_loaded() const {
    return (in_.section(b_.section).flags & elf::kFlagAlloc) != 0;
  }

  [[nodiscard]] bool describes_gone_code(u32 symbol) const {
    if (!b_.debug)
      return false;
    const Entity *entity = l_.entity(b_.object, symbol);
    return entity && entity->function() &&
           (entity->out == 0 || l_.program.outcome[b_.object][symbol] == Outcome::Discarded ||
            l_.program.outcome[b_.object][symbol] == Outcome::Overridden);
  }

  void compare() {
    std::stable_sort(
        fields_.begin(), fields_.end(),
        [](const FilledField &a, const FilledField &b) { return a.offset < b.offset; });
    u64 done = b_.begin;
    for (size_t first = 0, last = 0; first < fields_.size(); first = last) {
      const u64 begin = fields_[first].offset;
      u64 end = begin;
      for (last = first; last < fields_.size() && (last == first || fields_[last].offset < end);
           ++last)
        end = std::max<u64>(end, fields_[last].offset +
                                     (fields_[last].row ? fields_[last].row->field_bytes : 16));
      if (end > source_.size()) // the linker refuses such an input
        return compare_bytes(done, b_.end);
      compare_bytes(done, begin);
      compare_fields(first, last, begin, end);
      done = std::max(done, end);
    }
    compare_bytes(done, b_.end);
  }

  void compare_bytes(u64 begin, u64 end) {
    if (begin >= end)
      return;
    const u8 *in = source_.data() + begin, *out = out_.data() + out_offset(begin);
    if (std::memcmp(in, out, end - begin) == 0)
      return;
    u64 same = 0;
    while (same < end - begin)
      if (((in[same] ^ out[same]) & compared_bits(begin + same)) == 0)
        ++same;
      else if (const u64 next = end_of_other_spelling(begin + same); next != 0 && next <= end)
        same = next - begin;
      else
        break;
    if (same == end - begin)
      return;
    const u64 size = std::min<u64>(end - begin - same, 8);
    report(FindingKind::Bytes, begin + same,
           bytes_text(source_.subspan(begin + same, size)) + " of " + in_.name,
           bytes_text(out_.subspan(out_offset(begin + same), size)));
  }

  // Compares the overlapping fields [first, last), all within [begin, end).
  void compare_fields(size_t first, size_t last, u64 begin, u64 end) {
    const ByteSpan input = source_.subspan(begin, end - begin);
    const ByteSpan found = out_.subspan(out_offset(begin), end - begin);
    std::vector<u8> wanted(input.begin(), input.end());
    bool optional = true;
    for (size_t i = last; i-- > first;) {
      const FilledField &field = fields_[i];
      arch::FieldValue value = field.value;
      optional = optional && field.optional;
      if (!field.row)
        return;
      if (field.unknown) // the expected value cannot be determined
        value = arch::read_field(found, field.offset - begin, *field.row).value_or(value);
      if (!arch::store_field(wanted, field.offset - begin, *field.row, value))
        return;
    }
    for (u64 i = 0; i < wanted.size(); ++i)
      wanted[i] = static_cast<u8>((wanted[i] & compared_bits(begin + i)) |
                                  (found[i] & ~compared_bits(begin + i)));
    if (std::equal(found.begin(), found.end(), wanted.begin()) ||
        (optional && std::equal(found.begin(), found.end(), input.begin())))
      return;
    const FilledField &field = fields_[first];
    const auto is = arch::read_field(found, field.offset - begin, *field.row);
    const arch::FieldValue was =
        arch::read_field(wanted, field.offset - begin, *field.row).value_or(arch::FieldValue{});
    if (is && *is != was) {
      const std::string bank = field.row->writes_bank() ? fmt::format(", bank {}", was.bank) : "";
      report(FindingKind::Field, field.offset,
             fmt::format("{:#x}{} of {} ({})", was.value, bank, in_.symbols[field.symbol].name,
                         field.row->name),
             fmt::format("{:#x}{}", is->value,
                         field.row->writes_bank() ? fmt::format(", bank {}", is->bank) : ""));
    } else {
      report(FindingKind::Bytes, begin, bytes_text(wanted), bytes_text(found));
    }
  }

  [[nodiscard]] u64 out_offset(u64 offset) const { return b_.base + offset; }
  // The top 23 bits of an instruction are scheduling information.
  [[nodiscard]] u8 compared_bits(u64 offset) const {
    const u64 byte = offset % arch::kInstructionSize;
    return !b_.any_schedule || byte < 13 ? 0xff : byte == 13 ? 0x01 : 0x00;
  }
  // Returns the end of the instruction at an offset if a finalizer encoded it differently; else 0.
  [[nodiscard]] u64 end_of_other_spelling(u64 offset) const {
    const u64 begin = offset - offset % arch::kInstructionSize;
    const u64 end = begin + arch::kInstructionSize;
    const bool inside = b_.any_schedule && end <= source_.size() && out_offset(end) <= out_.size();
    return inside &&
                   arch::is_other_spelling(source_.subspan(begin), out_.subspan(out_offset(begin)))
               ? end
               : 0;
  }
  void report(FindingKind kind, u64 offset, std::string expected, std::string found) {
    report_.add(kind, b_.name, l_.out.section(b_.out).name, out_offset(offset), std::move(expected),
                std::move(found));
  }

  const Link &l_;
  const Block &b_;
  const Object &in_;
  const ByteSpan source_, out_;
  std::vector<KeptEntry> &kept_;
  Report &report_;
  std::vector<FilledField> fields_;
  std::vector<std::pair<u64, u64>> discarded_;
};

std::string describe(const Link &link, const KeptEntry &entry) {
  const arch::RelocInfo *row = arch::find_reloc(entry.type);
  const elf::Symbol &symbol = link.out.symbols[entry.symbol];
  const std::string name = symbol.type() == elf::SymbolType::Section && symbol.in_section()
                               ? std::string(link.out.section(symbol.section).name)
                               : std::string(symbol.name);
  return fmt::format(
      "{} against {}, addend {:#x}{}", row ? std::string(row->name) : std::to_string(entry.type),
      name.empty() ? "nothing" : name, entry.addend, entry.explicit_addend ? "" : " in place");
}

// True if the addend of the output's entry is the value in the field of the input.
bool same_with_addend(const KeptEntry &expected, const KeptEntry &found) {
  return !expected.explicit_addend && found.explicit_addend && expected.offset == found.offset &&
         expected.type == found.type && expected.symbol == found.symbol &&
         expected.in_field == found.addend;
}

} // namespace

std::vector<KeptEntry> kept_in_output(const Link &link, u32 out) {
  std::vector<KeptEntry> entries;
  for (u32 t = link.out.first_table[out]; t != 0; t = link.out.next_table[t]) {
    const elf::RelocationTable table = link.out.view.relocations(link.out.section(t));
    entries.reserve(entries.size() + table.size());
    for (u32 i = table.size(); i-- > 0;) { // linkers write them in reverse order
      const elf::Relocation raw = table[i];
      entries.push_back({raw.offset, raw.addend, raw.type, link.canonical[raw.symbol],
                         table.has_addends(), false});
    }
  }
  return entries;
}

void check_block(const Link &link, const Block &block, std::vector<KeptEntry> &kept,
                 Report &report) {
  BlockChecker(link, block, kept, report).run();
}

void check_kept(const Link &link, u32 out, std::vector<KeptEntry> expected, Report &report,
                const OffsetRanges *ranges) {
  std::vector<KeptEntry> found = kept_in_output(link, out);
  if (ranges)
    std::erase_if(found, [ranges](const KeptEntry &entry) {
      return std::none_of(ranges->begin(), ranges->end(), [&](const auto &range) {
        return entry.offset >= range.first && entry.offset < range.second;
      });
    });
  compare_kept(link, out, std::move(expected), std::move(found), report);
}

void compare_kept(const Link &link, u32 out, std::vector<KeptEntry> expected,
                  std::vector<KeptEntry> found, Report &report) {
  const auto same = [](const KeptEntry &a, const KeptEntry &b) { return a.key() == b.key(); };
  if (std::equal(expected.begin(), expected.end(), found.begin(), found.end(), same))
    return;
  const auto by_key = [](const KeptEntry &a, const KeptEntry &b) { return a.key() < b.key(); };
  std::sort(expected.begin(), expected.end(), by_key);
  std::sort(found.begin(), found.end(), by_key);
  const auto add = [&](u64 offset, std::string wanted, std::string is) {
    const elf::Section &section = link.out.section(out);
    report.add(FindingKind::Relocation, link.out.kinds[out].owner, section.name, offset,
               std::move(wanted), std::move(is));
  };
  auto e = expected.begin();
  auto f = found.begin();
  while (e != expected.end() || f != found.end()) {
    if (e != expected.end() && f != found.end() && (same(*e, *f) || same_with_addend(*e, *f))) {
      ++e, ++f;
    } else if (e != expected.end() && f != found.end() && e->offset == f->offset && !e->optional) {
      add(e->offset, describe(link, *e), describe(link, *f));
      ++e, ++f;
    } else if (f == found.end() || (e != expected.end() && e->key() < f->key())) {
      if (!e->optional)
        add(e->offset, describe(link, *e), "none");
      ++e;
    } else {
      add(f->offset, "no relocation", describe(link, *f));
      ++f;
    }
  }
}

// All blocks of a link.

namespace {

void check_code_header(const Link &link, const CodePlace &code, Report &report) {
  const Object &in = link.program.objects[code.object];
  const elf::Section &from = in.section(code.section), &to = link.out.section(code.out);
  const auto differ = [&](std::string expected, std::string found) {
    report.add(FindingKind::Symbol, link.program.entities[code.entity].name, to.name, 0,
               std::move(expected), std::move(found));
  };
  if (from.size != to.size && !code.moved && !link.mercury) // capsules are compared as a whole
    differ(hex(from.size) + " bytes of code", hex(to.size));
  if (to.align < from.align)
    differ("alignment " + hex(from.align), hex(to.align));
  const u32 owner = link.out.owner_symbol(code.out);
  if (owner >= link.out.symbols.size() ||
      link.canonical[owner] != link.canonical[link.program.entities[code.entity].out])
    differ("sh_info of the function", std::to_string(owner));
  if (from.info >> 24 != to.info >> 24)
    differ(std::to_string(from.info >> 24) + " registers in sh_info",
           std::to_string(to.info >> 24));
}

// Checks code in which instructions have moved: it must have the same relocations of the same
// instructions. Relocations against the function itself refer to its code, which has moved, too.
void check_moved_code(const Link &link, const CodePlace &code, std::vector<KeptEntry> expected,
                      Report &report) {
  std::vector<KeptEntry> found = kept_in_output(link, code.out);
  const u32 self = link.canonical[link.program.entities[code.entity].out];
  for (KeptEntry &entry : found) {
    entry.offset = code.restored.origin_of(entry.offset).value_or(kUnknown);
    if (entry.symbol != self)
      continue;
    for (const KeptEntry &one : expected)
      if (one.offset == entry.offset && one.symbol == self && one.type == entry.type &&
          code.restored.place_before(static_cast<u64>(one.addend),
                                     static_cast<u64>(entry.addend)) ==
              static_cast<u64>(one.addend))
        entry.addend = one.addend;
  }
  compare_kept(link, code.out, std::move(expected), std::move(found), report);
}

void check_code(const Link &link, const CodePlace &code, std::vector<KeptEntry> &kept,
                Report &report) {
  check_code_header(link, code, report);
  const u32 node = link.calls.node_of[code.entity];
  kept.clear();
  Block block{.object = code.object,
              .section = code.section,
              .out = code.out,
              .end = link.program.objects[code.object].section(code.section).size,
              .node = node,
              .name = link.program.entities[code.entity].name,
              .live = link.live.reached[node],
              .any_bytes = link.mercury,
              .any_schedule = link.options.finalized,
              .restored = code.restored.code};
  check_block(link, block, kept, report);
  if (code.moved)
    check_moved_code(link, code, kept, report);
  else
    check_kept(link, code.out, kept, report);
}

// The blocks of one data section of the output.
using BlocksOf = std::vector<std::vector<Block>>;

void add_scattered(const Link &link, BlocksOf &blocks) {
  for (const Entity &entity : link.program.entities) {
    if (entity.function() || !entity.defined() || entity.out == 0)
      continue;
    const elf::Symbol &in = link.program.definition(entity);
    const elf::Symbol &out = link.out.symbols[entity.out];
    if (!link.place_of[entity.object][in.section].scattered || !out.in_section())
      continue;
    blocks[out.section].push_back({.object = entity.object,
                                   .section = in.section,
                                   .out = out.section,
                                   .base = out.value - in.value,
                                   .begin = in.value,
                                   .end = in.value + in.size,
                                   .name = entity.name});
  }
}

// Returns by section of the output the code that a finalizer has changed; else kNone.
std::vector<u32> list_moved_code(const Link &link) {
  std::vector<u32> out(link.out.view.sections().size(), kNone);
  for (u32 i = 0; i < link.code.size(); ++i)
    if (link.code[i].moved)
      out[link.code[i].out] = i;
  return out;
}

// Returns the branch tables of changed code in a relocatable file; kernels.cc handles executables.
std::vector<u8> restored_tables(const Link &link, const std::vector<u32> &moved,
                                const Block &block) {
  const u32 section = link.program.objects[block.object].code_of[block.section];
  const u32 code = section == 0 ? kNone : moved[link.place_of[block.object][section].section];
  return code == kNone
             ? std::vector<u8>{}
             : restore_tables(link, link.code[code], block.section, block.out, block.base);
}

// Returns the end of a block. Only compiler constants with symbols are part of the program.
u64 end_of_block(const Link &link, const Object &object, const elf::Section &section) {
  const bool compiler = object.kinds[section.index].is_constant() &&
                        object.kinds[section.index].bank == link.arch.banks.compiler &&
                        object.code_of[section.index] != 0;
  return compiler ? std::min(section.size, object.named_end[section.index]) : section.size;
}

BlocksOf list_data_blocks(const Link &link) {
  BlocksOf blocks(link.out.view.sections().size());
  for (u32 i = 0; i < link.program.objects.size(); ++i) {
    const Object &object = link.program.objects[i];
    for (const elf::Section &section : object.view.sections()) {
      const Place &place = link.place_of[i][section.index];
      if (place.section == 0 || place.scattered || object.kinds[section.index].is_code())
        continue;
      blocks[place.section].push_back({.object = i,
                                       .section = section.index,
                                       .out = place.section,
                                       .base = place.base,
                                       .end = end_of_block(link, object, section),
                                       .name = object.kinds[section.index].owner,
                                       .debug = object.kinds[section.index].is_debug()});
    }
  }
  add_scattered(link, blocks);
  return blocks;
}

} // namespace

void check_contents(Link &link, WorkerPool &pool, Report &report) {
  constexpr u32 kGrain = 32;
  const u32 count = static_cast<u32>(link.code.size());
  const BlocksOf blocks = list_data_blocks(link);
  const std::vector<u32> moved = list_moved_code(link);
  std::vector<u32> data; // sections of the output
  for (u32 s = 0; s < blocks.size(); ++s)
    if (!blocks[s].empty())
      data.push_back(s);
  std::vector<Report> reports(count / kGrain + 1), data_reports(data.size());
  pool.for_ranges(count, kGrain, [&](u32 begin, u32 end) {
    std::vector<KeptEntry> kept;
    for (u32 i = begin; i < end; ++i)
      check_code(link, link.code[i], kept, reports[begin / kGrain]);
  });
  pool.for_each(static_cast<u32>(data.size()), [&](u32 i) {
    std::vector<KeptEntry> kept;
    for (Block block : blocks[data[i]]) {
      const std::vector<u8> restored = restored_tables(link, moved, block);
      block.restored = restored;
      check_block(link, block, kept, data_reports[i]);
    }
    // Relocations of parameter banks fill slots of images, which are not in inputs (kernels.cc).
    const bool parameters = link.executable && link.out.kinds[data[i]].is_constant() &&
                            link.out.kinds[data[i]].bank == link.arch.banks.parameters;
    if (!parameters || !kept.empty())
      check_kept(link, data[i], std::move(kept), data_reports[i]);
  });
  for (Report &part : reports)
    report.append(std::move(part));
  for (Report &part : data_reports)
    report.append(std::move(part));
}

} // namespace culink::check
