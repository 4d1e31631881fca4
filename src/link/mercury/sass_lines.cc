// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Line tables of the SASS plane (.debug_line for sources, .nv_debug_line_sass for PTX). An object
// has one or more units: a head, and sequences, each of which starts with the address of a
// function. A unit of the output has its head and one sequence for each function in the output, in
// the order of the symbol table; the finalizer's where there is one.
//
// What may surprise: heads may say where the strings of their object are. Only the Mercury plane,
// whose heads are the same, has relocations for that.
#include <algorithm>
#include <array>
#include <span>

#include "arch/reloc.h"
#include "base/bytes.h"
#include "link/mercury/sass_debug.h"

namespace culink {

namespace {

constexpr u64 kLengthSize = 4;      // of a unit, in front of it
constexpr u64 kSequenceAddress = 3; // DW_LNE_set_address: 00 09 02, then the address
constexpr std::array<u8, 3> kEndSequence = {0, 1, 1}; // DW_LNE_end_sequence

struct LineUnit {
  u64 offset = 0; // in the section
  ByteSpan head;
  struct Sequence {
    u32 symbol;
    ByteSpan bytes;
  };
  std::vector<Sequence> sequences;
};

// Nothing for a damaged section. `addresses`: of code, by offset.
std::optional<std::vector<LineUnit>> split_lines(ByteSpan section,
                                                 const std::vector<CodeAddress> &addresses) {
  std::vector<LineUnit> out;
  auto next = addresses.begin();
  for (u64 at = 0; at < section.size();) {
    const std::optional<ByteSpan> length = slice(section, at, kLengthSize);
    if (!length || load_le<u32>(length->data()) > section.size() - at - kLengthSize)
      return std::nullopt;
    const u64 end = at + kLengthSize + load_le<u32>(length->data());
    LineUnit &unit = out.emplace_back();
    unit.offset = at;
    u64 start = at;
    const auto close = [&](u64 to) {
      const ByteSpan bytes = section.subspan(start, to - start);
      if (unit.sequences.empty())
        unit.head = bytes;
      else
        unit.sequences.back().bytes = bytes;
      start = to;
    };
    for (; next != addresses.end() && next->offset < end; ++next) {
      if (next->offset < start + kSequenceAddress)
        return std::nullopt;
      close(next->offset - kSequenceAddress);
      unit.sequences.push_back({next->symbol, {}});
    }
    close(end);
    if (unit.head.size() < kLengthSize)
      return std::nullopt;
    at = end;
  }
  return out;
}

struct HeadValue {
  u32 unit;   // of a line table
  u64 offset; // in the unit
  u32 value;
};

std::vector<HeadValue> values_in_heads(const InputObject &mercury,
                                       std::span<const SectionLocation> locations, u32 section) {
  std::vector<u64> starts;
  const ByteSpan lines = mercury.section(section).data;
  for (u64 at = 0; lines.size() - at >= kLengthSize;) {
    starts.push_back(at);
    const u64 length = load_le<u32>(lines.data() + at);
    at += kLengthSize + std::min<u64>(length, lines.size() - at - kLengthSize);
  }
  std::vector<HeadValue> out;
  for (const elf::Section &table : mercury.view.sections()) {
    if (!elf::is_relocation_table(table.type) || table.info != section)
      continue;
    for (const elf::Relocation entry : mercury.view.relocations(table)) {
      const elf::Symbol &symbol = mercury.symbols[entry.symbol];
      if (symbol.type() != elf::SymbolType::Section || !symbol.in_section())
        continue;
      const auto unit = std::upper_bound(starts.begin(), starts.end(), entry.offset);
      if (unit == starts.begin())
        continue;
      const u64 value = locations[symbol.section].offset + static_cast<u64>(entry.addend);
      out.push_back({static_cast<u32>(unit - starts.begin() - 1), entry.offset - *std::prev(unit),
                     static_cast<u32>(value)});
    }
  }
  return out;
}

// Whether a sequence is about code that is in the output.
bool is_needed(const SassContext &c, const SassCodeList &code, const nvlink::MergedDebug &merged,
               SymbolRef symbol) {
  const EntityId function = c.mercury.symbols.of(symbol.object, symbol.symbol);
  if (!function.valid() || !c.mercury.is_live(function))
    return false;
  const bool is_merged =
      merged.find(function) && !c.layout().relocs.has_overridden[function.value] &&
      c.mercury.symbols.outcome(symbol.object, symbol.symbol) == DefinitionOutcome::Accepted;
  return is_merged ||
         (c.mercury.symbols[function].prevailing == symbol && code.find(c.layout(), function));
}

// Sequences of the output, in the order of the symbol table.
struct FunctionLines {
  EntityId function;
  ByteSpan bytes;
};

std::vector<FunctionLines> choose_sequences(const SassContext &c, const SassCodeList &code,
                                            const nvlink::MergedDebug &merged, u32 object,
                                            const LineUnit &unit,
                                            std::vector<ByteSpan> FinalizedDebug::*made_lines,
                                            FinalizedParts &parts) {
  std::vector<FunctionLines> out;
  for (const LineUnit::Sequence &sequence : unit.sequences) {
    const SymbolRef symbol{ObjectId(object), sequence.symbol};
    if (!is_needed(c, code, merged, symbol))
      continue;
    const EntityId function = c.mercury.symbols.of(symbol.object, symbol.symbol);
    const ByteSpan *made = parts.next(object, function, made_lines);
    out.push_back({function, made ? *made : sequence.bytes});
  }
  std::stable_sort(out.begin(), out.end(), [&](const FunctionLines &a, const FunctionLines &b) {
    return c.symbol_rank[a.function.value] < c.symbol_rank[b.function.value];
  });
  return out;
}

} // namespace

DebugSection make_sass_lines(const SassContext &c, const SassCodeList &code,
                             const nvlink::MergedDebug &merged, const LocationOf &location_of,
                             OutId id, Diagnostics &diag) {
  DebugSection out;
  out.id = id;
  std::vector<u8> &bytes = out.bytes;
  FinalizedParts parts(c, code, merged);
  const auto made_lines =
      c.name(id) == ".debug_line" ? &FinalizedDebug::lines : &FinalizedDebug::sass_lines;
  const OutId table = relocation_table_of(c.layout(), id);
  for (u32 o = 0; o < c.sass.objects.size(); ++o) {
    const elf::Section *from = c.sass_part(o, id);
    if (!from)
      continue;
    out.parts.push_back({o, from->index, bytes.size()});
    const auto units = split_lines(from->data, code_addresses(c.sass.objects[o], from->index));
    if (!units) {
      report_broken(c, o, *from, "a broken line table", diag);
      continue;
    }
    const std::vector<HeadValue> head_values =
        values_in_heads(c.mercury.objects[o], location_of[o], from->index);
    for (u32 number = 0; number < units->size(); ++number) {
      const LineUnit &unit = (*units)[number];
      const u64 start = bytes.size();
      out.units.push_back({o, {from->index, unit.offset, unit.offset + 1, start}});
      bytes.insert(bytes.end(), unit.head.begin(), unit.head.end());
      for (const HeadValue &value : head_values)
        if (value.unit == number && value.offset + 4 <= unit.head.size())
          store_le<u32>(bytes.data() + start + value.offset, value.value);
      const std::vector<FunctionLines> sequences =
          choose_sequences(c, code, merged, o, unit, made_lines, parts);
      for (const FunctionLines &one : sequences) {
        if (table.valid())
          out.addresses.push_back({.table = table,
                                   .id = one.function.value,
                                   .offset = bytes.size() + kSequenceAddress,
                                   .type = arch::reloc_for(arch::RelocRole::CodeAddress).number,
                                   .against = KeptRelocation::Against::Entity});
        bytes.insert(bytes.end(), one.bytes.begin(), one.bytes.end());
      }
      if (sequences.empty() && c.mercury.policy.ends_empty_lines)
        bytes.insert(bytes.end(), kEndSequence.begin(), kEndSequence.end());
      store_le<u32>(bytes.data() + start, static_cast<u32>(bytes.size() - start - kLengthSize));
    }
  }
  if (c.shape.counterpart_of(id) == Counterpart::Shared)
    bytes.clear();
  return out;
}

} // namespace culink
