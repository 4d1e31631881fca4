// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every number and offset of a file is decided here and nowhere else, in this order: symbol numbers
// (locals first), the section table (a stable sort by bucket), string offsets, file offsets,
// program headers. File = header, contents, section headers, program headers.
//
// Two things may surprise. Sections without file data take no bytes, yet their alignment moves the
// cursor, so padding appears in front of the next section. And program headers of device files
// carry file offsets only: every address is 0.
#include "elf/elf_layouter.h"

#include <algorithm>
#include <numeric>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "base/bytes.h"
#include "elf/wire.h"

namespace culink::elf {

Result<ElfLayout> ElfLayouter::run() {
  loads_ = classic() ? classic_loads() : mercury_loads();
  order_sections();
  if (!name_symbols())
    return absent_section();
  if (std::max(layout_.strtab.size, layout_.shstrtab.size) > 0xffffffff)
    return Error{".strtab", "sh_size", "names take more than 4 GiB"};
  if (std::optional<Error> error = measure_sections())
    return std::move(*error);
  place_contents();
  if (!wide() && layout_.file_size > 0xffffffff)
    return Error{"ELF header", "EI_CLASS", "a 32-bit file cannot exceed 4 GiB"};
  return std::move(layout_);
}

u8 ElfLayouter::bucket_of(const SectionSpec &spec) {
  if (!spec.emitted)
    return kNoBucket;
  return static_cast<u8>(spec.bucket ? *spec.bucket
                                     : default_bucket(spec.name, spec.type, spec.flags));
}

void ElfLayouter::read_kinds() {
  for (const SectionSpec &kind : writer_.sections_.kinds())
    kinds_.push_back(
        {bucket_of(kind), kind.emitted && !kind.bucket && kind.type == SectionType::Progbits});
}

[[gnu::always_inline]] inline u8 ElfLayouter::bucket_of(const State &state) const {
  const BuiltSections &sections = writer_.sections_;
  if (const BuiltSections::Detail *detail = sections.find_detail(state)) [[unlikely]]
    return bucket_of(detail->spec);
  const Kind &kind = kinds_[state.kind];
  return kind.may_be_debug && is_debug_name(sections.name_of(state))
             ? static_cast<u8>(Bucket::Debug)
             : kind.bucket;
}

// The name that a section has in .shstrtab at first.
TableName ElfLayouter::given_name(u32 section) const {
  const State &state = writer_.sections_[section];
  const std::string_view name = writer_.sections_.name_of(state);
  if (section >= writer_.first_separate_)
    return {name, kNoNumber, Sharing::Separately};
  if (!old_names_.empty() && !old_names_[section].empty())
    return {old_names_[section]};
  return {name, writer_.sections_.name_number_of(state)};
}

// The bucket of each section and how many of each there are in each range.
RawVector<u8> ElfLayouter::read_buckets(std::vector<BucketCounts> &counts) {
  const BuiltSections &sections = writer_.sections_;
  const u32 count = sections.size();
  RawVector<u8> buckets(count);
  pool_.for_ranges(count, kTogether, [&](u32 begin, u32 end) {
    BucketCounts &own = counts[begin / kTogether];
    const State *states = sections.begin(); // bytes that are stored might be anywhere
    u8 *bucket = buckets.data();
    for (u32 id = begin; id < end; ++id) {
      bucket[id] = bucket_of(states[id]);
      ++own[bucket[id]];
    }
  });
  return buckets;
}

// A stable sort by bucket: what is known of each range says where its sections go.
void ElfLayouter::order_sections() {
  const u32 count = writer_.section_count();
  read_kinds();
  old_names_.resize(writer_.old_names_.empty() ? 0 : count);
  for (const ElfBuilder::OldName &old : writer_.old_names_)
    old_names_[old.section.value] = old.name;
  std::vector<BucketCounts> starts(count / kTogether + 1, BucketCounts{});
  RawVector<u8> buckets = read_buckets(starts);
  if (!compact())
    layout_.shstrtab =
        place_names(writer_.sections_.names(), count, [this](u32 id) { return given_name(id); });

  BucketCounts totals{};
  for (const BucketCounts &range : starts)
    for (u32 bucket = 0; bucket < kNoBucket; ++bucket)
      totals[bucket] += range[bucket];
  u32 emitted = std::accumulate(totals.begin(), totals.end(), 1u);
  // Indices no longer fit st_shndx and e_shnum. nvlink asks how many sections it has created, but
  // not in files with Mercury code.
  const bool by_creation = writer_.uncounted_ && writer_.options_.segments != SegmentRule::Mercury;
  const u64 created = by_creation ? u64{count} + writer_.uncounted_->size() : 0;
  if (std::max<u64>(emitted, created) >= kSectionLoReserve) {
    const u8 tables = static_cast<u8>(Bucket::Tables);
    buckets[writer_.symtab_shndx().value] = tables; // behind .symtab, which was added before it
    ++starts[0][tables];
    ++totals[tables];
    ++emitted;
  }
  layout_.section_count = emitted;
  u32 next = 0;
  for (u32 bucket = 0; bucket < kNoBucket; ++bucket)
    for (BucketCounts &range : std::span(starts).first(totals[bucket] != 0 ? starts.size() : 0))
      next += std::exchange(range[bucket], next);

  layout_.order.resize(emitted - 1);
  layout_.section_index.resize(count);
  pool_.for_ranges(count, kTogether, [&](u32 begin, u32 end) {
    BucketCounts &own = starts[begin / kTogether];
    const u8 *bucket = buckets.data();
    SectionId *order = layout_.order.data();
    u32 *index = layout_.section_index.data();
    for (u32 id = begin; id < end; ++id) {
      if (bucket[id] == kNoBucket) {
        index[id] = 0;
        continue;
      }
      const u32 position = own[bucket[id]]++;
      order[position] = SectionId(id);
      index[id] = position + 1;
    }
  });
  if (compact())
    name_sections_in_use();
  layout_.shstrtab.size += writer_.options_.section_names_room;
}

void ElfLayouter::name_sections_in_use() {
  const auto name_at = [this](u32 position) -> TableName {
    return {writer_.name_of(layout_.order[position])};
  };
  layout_.shstrtab = place_names(nullptr, static_cast<u32>(layout_.order.size()), name_at);
}

// Whether a symbol of the file is in a section that is not.
bool ElfLayouter::names_absent_section(u32 symbol) const {
  const BuiltSymbols &symbols = writer_.symbols_;
  return is_absent(symbols.section_of(symbols[symbol]));
}

// The error of the first such symbol.
Error ElfLayouter::absent_section() const {
  u32 symbol = 0;
  while (!names_absent_section(symbol))
    ++symbol;
  return Error{fmt::format("symbol '{}'", writer_.symbol(SymbolId(symbol)).name), "st_shndx",
               "its section is not part of the file"};
}

// Local symbols come first; otherwise symbols keep their order.
SymbolNumbers ElfBuilder::number_symbols() const {
  const auto is_local = [this](u32 id) { return symbols_.is_local(symbols_[id]); };
  SymbolNumbers out;
  out.of.resize(symbols_.size());
  std::vector<u32> order(symbols_.size());
  std::iota(order.begin(), order.end(), 0);
  if (!std::ranges::is_partitioned(order, is_local)) {
    std::ranges::stable_partition(order, is_local);
    out.order.assign(order.begin(), order.end());
  }
  out.count = out.first_global = 1;
  for (const u32 id : order) {
    out.of[id] = symbols_.is_emitted(symbols_[id]) ? out.count++ : 0;
    if (is_local(id))
      out.first_global = out.count;
  }
  return out;
}

// In the order in which they were given; in a compact file in that of their first use, and nothing
// for those without any.
std::vector<u32> ElfLayouter::order_strings() const {
  std::vector<u32> out(writer_.strings_.size(), kNoString);
  if (!compact()) {
    std::iota(out.begin(), out.end(), 0);
    return out;
  }
  std::vector<u8> used(out.size());
  u32 next = 0;
  for (const SectionId id : layout_.order)
    if (const auto *detail = writer_.sections_.find_detail(writer_.sections_[id.value]))
      writer_.fixups_.for_each(detail->fixups, [&](const Fixup &fixup) {
        if (fixup.kind == Fixup::Kind::StringOffset && !std::exchange(used[fixup.id], 1))
          out[next++] = fixup.id;
      });
  return out;
}

TableName ElfLayouter::own_name(u32 id) const {
  const BuiltSymbols &symbols = writer_.symbols_;
  const BuiltSections &sections = writer_.sections_;
  const BuiltSymbols::State &state = symbols[id];
  switch (state.kind) {
  case BuiltSymbols::State::Kind::Section:
    return {sections.name_of(sections[state.id]), sections.name_number_of(sections[state.id])};
  case BuiltSymbols::State::Kind::Nothing:
    return {{}, kNoNumber, Sharing::None};
  case BuiltSymbols::State::Kind::Specified:
    break;
  }
  const SymbolSpec &symbol = symbols.spec(state);
  return {symbol.name, symbol.name_number,
          symbol.blank_name ? Sharing::Blank
          : symbol.named    ? Sharing::Equal
                            : Sharing::None};
}

// `offsets`: of names in the order of the symbols.
void ElfLayouter::place_symbol_names(const u32 *offsets) {
  const u32 count = writer_.symbol_count();
  if (layout_.symbol_order.empty() && offsets == layout_.symbol_names() &&
      writer_.late_names_.empty())
    return;
  layout_.symbol_name.resize(count);
  pool_.for_ranges(count, kTogether, [&](u32 begin, u32 end) {
    u32 *to = layout_.symbol_name.data();
    if (layout_.symbol_order.empty())
      std::copy(offsets + begin, offsets + end, to + begin);
    else
      for (u32 i = begin; i < end; ++i)
        to[layout_.symbol_order[i]] = offsets[i];
  });
}

// `offsets`: of the new names of symbols that were renamed, in a compact file of the old ones.
void ElfLayouter::place_late_names(const u32 *offsets) {
  const std::vector<ElfBuilder::LateName> &renamed = writer_.late_names_;
  if (renamed.empty())
    return;
  layout_.late_symbol_name = layout_.symbol_name;
  RawVector<u32> &names = compact() ? layout_.symbol_name : layout_.late_symbol_name;
  for (size_t i = 0; i < renamed.size(); ++i)
    names[renamed[i].symbol.value] = offsets[i];
}

// Strings for the front, names in the order of the symbols, new names of those that were renamed.
// In a compact file: names in the order of the symbols, old names, strings as contents use them.
// False: a symbol of the file is in a section that is not.
bool ElfLayouter::name_symbols() {
  const u32 strings = static_cast<u32>(writer_.strings_.size());
  const u32 symbols = writer_.symbol_count();
  const u32 renamed = static_cast<u32>(writer_.late_names_.size());
  const u32 count = strings + symbols + renamed;
  const std::vector<u32> string_order = order_strings();
  const u32 symbols_at = compact() ? 0 : strings, renamed_at = symbols_at + symbols,
            strings_at = compact() ? renamed_at + renamed : 0;
  std::vector<std::string_view> new_names(compact() ? symbols : 0);
  for (u32 i = 0; compact() && i < renamed; ++i)
    new_names[writer_.late_names_[i].symbol.value] = writer_.late_names_[i].name;
  const auto name_at = [&](u32 position) -> TableName {
    if (position - strings_at < strings) {
      const u32 id = string_order[position - strings_at];
      if (id == kNoString)
        return {{}, kNoNumber, Sharing::None};
      const ElfBuilder::EarlyString &string = writer_.strings_[id];
      const bool separately = string.separately && !compact();
      return {string.text, kNoNumber, separately ? Sharing::Separately : Sharing::Equal};
    }
    if (position >= renamed_at) {
      const ElfBuilder::LateName &late = writer_.late_names_[position - renamed_at];
      return compact() ? own_name(late.symbol.value)
                       : TableName{late.name, kNoNumber, Sharing::Separately};
    }
    const u32 id = symbol_at(position - symbols_at);
    if (compact() && !writer_.is_emitted(SymbolId(id)))
      return {{}, kNoNumber, Sharing::None};
    return compact() && !new_names[id].empty() ? TableName{new_names[id]} : own_name(id);
  };
  if (compact())
    for (u32 i = 0; i < count; ++i)
      layout_.strtab_texts.push_back(name_at(i).text);
  layout_.strtab = place_names(writer_.sections_.names(), count, name_at);
  const u32 *offsets = layout_.strtab.offsets.data();
  layout_.string_offset.resize(strings);
  for (u32 i = 0; i < strings; ++i)
    if (string_order[i] != kNoString)
      layout_.string_offset[string_order[i]] = offsets[strings_at + i];
  place_symbol_names(offsets + symbols_at);
  place_late_names(offsets + renamed_at);
  for (u32 id = 0; id < symbols; ++id)
    if (names_absent_section(id))
      return false;
  return true;
}

Result<ElfLayout> ElfBuilder::lay_out() const {
  WorkerPool one_thread(1);
  return lay_out(one_thread);
}

Result<ElfLayout> ElfBuilder::lay_out(WorkerPool &pool) const {
  return lay_out(pool, number_symbols());
}

Result<ElfLayout> ElfBuilder::lay_out(WorkerPool &pool, SymbolNumbers numbers) const {
  return ElfLayouter(*this, std::move(numbers), pool).run();
}

} // namespace culink::elf
