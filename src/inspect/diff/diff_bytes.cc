// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Contents that are not tables. Code is compared instruction by instruction and reported by
// function and offset; data is reported by the variable it belongs to. Where a file differs in
// nothing that was reported so far, the bytes between the sections are the last place to look.
#include <algorithm>

#include <fmt/format.h>

#include "elf/records/nv_capmerc.h"
#include "elf/section_kind.h"
#include "inspect/diff/diff_report.h"
#include "support/bytes.h"

namespace culink::text::diff {

using elf::Section;
using elf::SectionRole;
using elf::Symbol;
using elf::SymbolTable;

namespace {

constexpr u64 kInstruction = 16;
constexpr u64 kRow = 16;

// The symbols of one section by value, to name a place in it.
class Places {
public:
  Places(const Side &side, const Section &section) {
    const SymbolTable symbols = side.view().symbols();
    for (u32 i = 1; i < symbols.size(); ++i) {
      const Symbol symbol = symbols[i];
      if (symbol.section == section.index && symbol.in_section() &&
          symbol.type() != elf::SymbolType::Section && symbol.size != 0)
        symbols_.push_back({symbol.value, symbol.size, symbol.name});
    }
    std::ranges::sort(symbols_, {}, &Range::begin);
  }

  // " in 'x' + 0x4", or nothing where no symbol is.
  [[nodiscard]] std::string name(u64 offset) const {
    auto after = std::ranges::upper_bound(symbols_, offset, {}, &Range::begin);
    if (after == symbols_.begin())
      return "";
    --after;
    const u64 inside = offset - after->begin;
    return inside < after->size ? fmt::format(" in {} + {:#x}", quoted(after->name), inside) : "";
  }

private:
  struct Range {
    u64 begin;
    u64 size;
    std::string_view name;
  };
  std::vector<Range> symbols_;
};

std::string hex_bytes(ByteSpan bytes) {
  std::string text;
  for (const u8 byte : bytes)
    text += fmt::format("{}{:02x}", text.empty() ? "" : " ", byte);
  return text;
}

// An instruction as disassemblers write it: the two words, low one first.
std::string instruction_words(ByteSpan bytes) {
  if (bytes.size() < kInstruction)
    return hex_bytes(bytes);
  return fmt::format("{:#018x} {:#018x}", load_le<u64>(bytes.data()),
                     load_le<u64>(bytes.data() + 8));
}

u64 count_units(ByteSpan a, ByteSpan b, u64 unit, u64 &first) {
  u64 count = 0;
  const u64 common = std::min(a.size(), b.size());
  for (u64 at = 0; at < common; at += unit) {
    const u64 n = std::min(unit, common - at);
    if (std::memcmp(a.data() + at, b.data() + at, n) == 0)
      continue;
    if (count++ == 0)
      first = at;
  }
  return count;
}

DiffTopic topic_of(SectionRole role) {
  switch (role) {
  case SectionRole::Text:
  case SectionRole::CapmercText:
  case SectionRole::MercuryText:
    return DiffTopic::Code;
  case SectionRole::Dwarf:
  case SectionRole::NvDebug:
    return DiffTopic::Debug;
  default:
    return DiffTopic::Data;
  }
}

void diff_code(const Files &files, const Pair &pair, Report &report) {
  u64 first = 0;
  const u64 count = count_units(pair.a->data, pair.b->data, kInstruction, first);
  if (count == 0)
    return;
  const std::string &place = files.a.section(pair.a->index);
  u64 told = 0;
  const u64 common = std::min(pair.a->data.size(), pair.b->data.size());
  for (u64 at = first; at < common; at += kInstruction) {
    const u64 n = std::min(kInstruction, common - at);
    const ByteSpan a = pair.a->data.subspan(at, n), b = pair.b->data.subspan(at, n);
    if (std::ranges::equal(a, b))
      continue;
    ++told;
    report.add(DiffTopic::Code, place, [&] {
      return fmt::format("instruction at {:#x}{}: {} vs {}", at,
                         told == 1 && count > 1 ? fmt::format(" (first of {})", count) : "",
                         instruction_words(a), instruction_words(b));
    });
  }
}

void diff_data(const Files &files, const Pair &pair, DiffTopic topic, Report &report) {
  u64 first = 0;
  const ByteSpan a = pair.a->data, b = pair.b->data;
  const u64 rows = count_units(a, b, kRow, first);
  if (rows == 0)
    return;
  report.add(topic, files.a.section(pair.a->index), [&] {
    u64 ignored = 0;
    const u64 common = std::min(a.size(), b.size());
    u64 at = first;
    while (a[at] == b[at])
      ++at;
    const u64 bytes = count_units(a, b, 1, ignored);
    const u64 n = std::min<u64>(kRow, common - first);
    return fmt::format("bytes differ from {:#x}{} ({} in all): at {:#x} {} vs {}", at,
                       Places(files.a, *pair.a).name(at), bytes, first,
                       hex_bytes(a.subspan(first, n)), hex_bytes(b.subspan(first, n)));
  });
}

std::string capsule_code(const Side &side, const elf::Capsule &capsule) {
  return capsule.text_section < side.view().sections().size() ? side.section(capsule.text_section)
                                                              : "no section";
}

// The first word of a capsule is a section index, so it is compared by name; the records by the
// instruction they belong to.
void diff_capsule(const Files &files, const Pair &pair, Report &report) {
  const elf::Capsule a = elf::decode_capsule(pair.a->data), b = elf::decode_capsule(pair.b->data);
  if (!a.has_header || !b.has_header)
    return diff_data(files, pair, DiffTopic::Code, report);
  const std::string &place = files.a.section(pair.a->index);
  const auto tell = [&](bool differs, auto make) {
    if (differs)
      report.add(DiffTopic::Code, place, make);
    return differs;
  };
  const std::string code_a = capsule_code(files.a, a), code_b = capsule_code(files.b, b);
  tell(code_a != code_b, [&] { return fmt::format("capsule of {} vs {}", code_a, code_b); });
  tell(a.magic != b.magic, [&] { return fmt::format("magic {:#x} vs {:#x}", a.magic, b.magic); });
  if (tell(a.instruction_count != b.instruction_count, [&] {
        return fmt::format("Mercury instructions {} vs {}", a.instruction_count,
                           b.instruction_count);
      }))
    return;
  for (u32 i = 0; i < a.instruction_count; ++i)
    tell(a.recovered(i) != b.recovered(i), [&] {
      return fmt::format("instruction {} has a record in the {} file only", i,
                         a.recovered(i) ? "second" : "first");
    });
  for (size_t i = 0; i < std::min(a.records.size(), b.records.size()); ++i)
    tell(!std::ranges::equal(a.records[i].bytes, b.records[i].bytes), [&] {
      return fmt::format("record of instruction {}: {} vs {}", a.records[i].instruction,
                         hex_bytes(a.records[i].bytes), hex_bytes(b.records[i].bytes));
    });
  tell(a.records.size() != b.records.size(),
       [&] { return fmt::format("records {} vs {}", a.records.size(), b.records.size()); });
  tell(!std::ranges::equal(a.rest, b.rest), [] { return std::string("unreadable ends differ"); });
}

} // namespace

void diff_contents(const Files &files, Report &report) {
  for (const Pair &pair : files.pairs) {
    if (pair.a->data.empty() || pair.b->data.empty() || has_records(*pair.a))
      continue;
    const SectionRole role = elf::classify_section(pair.a->name, pair.a->type, pair.a->flags).role;
    if (const DiffTopic topic = topic_of(role); role == SectionRole::Text)
      diff_code(files, pair, report);
    else if (role == SectionRole::CapmercText)
      diff_capsule(files, pair, report);
    else
      diff_data(files, pair, topic, report);
  }
}

// Runs only when nothing else was found.
void diff_padding(const Files &files, Report &report) {
  const ByteSpan a = files.a.view().file(), b = files.b.view().file();
  if (std::ranges::equal(a, b))
    return;
  report.add(DiffTopic::Padding, "", [&] {
    const u64 common = std::min(a.size(), b.size());
    const auto [in_a, in_b] =
        std::mismatch(a.begin(), a.begin() + static_cast<i64>(common), b.begin());
    const u64 at = static_cast<u64>(in_a - a.begin());
    if (at == common)
      return fmt::format("file size {:#x} vs {:#x}", a.size(), b.size());
    std::string_view where = "outside all sections";
    for (const Section &s : files.a.view().sections())
      if (!s.data.empty() && at >= s.offset && at - s.offset < s.size)
        where = files.a.section(s.index);
    return fmt::format("bytes differ that nothing above explains, first at file offset {:#x} ({}): "
                       "{:#04x} vs {:#04x}",
                       at, where, *in_a, *in_b);
  });
}

} // namespace culink::text::diff
