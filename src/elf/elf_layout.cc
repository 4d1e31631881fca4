// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every number and offset of a file is decided here and nowhere else, in this order: the section
// table (a stable sort by bucket), symbol numbers (locals first), string offsets, file offsets,
// program headers. File = header, contents, section headers, program headers.
//
// Two things may surprise. Sections without file data take no bytes, yet their alignment moves the
// cursor, so padding appears in front of the next section. And program headers of device files
// carry file offsets only: every address is 0.
#include "elf/elf_layouter.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "base/bytes.h"
#include "base/prefetch.h"
#include "elf/wire.h"

namespace culink::elf {

namespace {

constexpr u32 kMostInfoSymbol = 0xffffff; // the top byte of sh_info has another use

// For shared memory nvlink -r sums up to alignments such as 48; its next link reads them back.
bool may_have_any_align(const SectionSpec &spec) {
  return spec.type == SectionType::CudaShared || spec.type == SectionType::Nobits;
}

} // namespace

Result<ElfLayout> ElfLayouter::run() {
  loads_ = classic() ? classic_loads() : mercury_loads();
  order_sections();
  if (std::optional<Error> error = number_symbols())
    return std::move(*error);
  name_symbols();
  if (std::max(layout_.strtab.size, layout_.shstrtab.size) > 0xffffffff)
    return Error{".strtab", "sh_size", "names take more than 4 GiB"};
  if (std::optional<Error> error = measure_sections())
    return std::move(*error);
  place_contents();
  if (!wide() && layout_.file_size > 0xffffffff)
    return Error{"ELF header", "EI_CLASS", "a 32-bit file cannot exceed 4 GiB"};
  return std::move(layout_);
}

std::optional<Error> ElfLayouter::check_section(u32 id) const {
  const ElfBuilder::SectionState &state = writer_.sections_[id];
  const SectionSpec &spec = state.spec;
  const auto refuse = [&spec](const char *field, std::string message) {
    return Error{fmt::format("section '{}'", spec.name), field, std::move(message)};
  };
  if (!spec.emitted)
    return std::nullopt;
  if (spec.align != 0 && !is_power_of_two(spec.align) && !may_have_any_align(spec))
    return refuse("sh_addralign", fmt::format("{:#x} is not a power of two", spec.align));
  const auto absent = [this](SectionId other) {
    return other.valid() && layout_.index_of(other) == 0;
  };
  if (absent(spec.link))
    return refuse("sh_link", "names a section that is not part of the file");
  if (const auto *info = std::get_if<SectionId>(&spec.info.value()); info && absent(*info))
    return refuse("sh_info", "names a section that is not part of the file");
  if (const auto *info = std::get_if<InfoField::SymbolNumber>(&spec.info.value());
      info && info->top_byte != 0 && layout_.number_of(info->symbol) > kMostInfoSymbol)
    return refuse("sh_info", fmt::format("{} is too large for the number of a symbol beside a "
                                         "register count, {} is the most",
                                         layout_.number_of(info->symbol), kMostInfoSymbol));
  if (absent(spec.shares_bytes_with))
    return refuse("sh_offset", "shares bytes with a section that is not part of the file");
  std::optional<Error> error;
  writer_.fixups_.for_each(state.fixups, [&](const Fixup &fixup) {
    if (!error && (fixup.offset > state.size || state.size - fixup.offset < 4))
      error = refuse("content", fmt::format("no word at {:#x} to fill in", fixup.offset));
  });
  writer_.relocations_.for_each(state.relocations, [&](const RelocationSpec &entry) {
    if (!error && entry.symbol.valid() && layout_.number_of(entry.symbol) == 0)
      error = refuse("r_info", fmt::format("symbol '{}' is not part of the file",
                                           writer_.symbols_[entry.symbol.value].name));
  });
  return error;
}

// Whether check_section finds nothing wrong; it takes longer, and is asked where this says no.
bool ElfLayouter::is_valid(const ElfBuilder::SectionState &state) const {
  const SectionSpec &spec = state.spec;
  const auto absent = [this](SectionId other) {
    return other.valid() && layout_.index_of(other) == 0;
  };
  bool valid = ((spec.align & (spec.align - 1)) == 0 || may_have_any_align(spec)) &&
               !absent(spec.link) && !absent(spec.shares_bytes_with);
  if (const auto *info = std::get_if<SectionId>(&spec.info.value()))
    valid &= !absent(*info);
  else if (const auto *symbol = std::get_if<InfoField::SymbolNumber>(&spec.info.value()))
    valid &= symbol->top_byte == 0 || layout_.number_of(symbol->symbol) <= kMostInfoSymbol;
  writer_.fixups_.for_each(state.fixups, [&](const Fixup &fixup) {
    valid &= fixup.offset <= state.size && state.size - fixup.offset >= 4;
  });
  writer_.relocations_.for_each(state.relocations, [&](const RelocationSpec &entry) {
    valid &= !entry.symbol.valid() || layout_.number_of(entry.symbol) != 0;
  });
  return valid;
}

// The bucket of each section and how many of each there are in each range; and names.
RawVector<u8> ElfLayouter::read_sections(NameOffsets &names, std::vector<BucketCounts> &counts) {
  const RawTable<ElfBuilder::SectionState> &sections = writer_.sections_;
  const u32 count = static_cast<u32>(sections.size());
  std::vector<std::string_view> old_names(writer_.old_names_.empty() ? 0 : count);
  for (const ElfBuilder::OldName &old : writer_.old_names_)
    old_names[old.section.value] = old.name;
  const auto name_of = [&](u32 id) -> NameOffsets::Name {
    const SectionSpec &spec = sections[id].spec;
    if (id >= writer_.first_separate_)
      return {spec.name, kNoNumber, NameOffsets::Sharing::Separately};
    if (!old_names.empty() && !old_names[id].empty())
      return {old_names[id]};
    return {spec.name, spec.name_number};
  };
  RawVector<u8> buckets(count);
  pool_.for_ranges(count, kTogether, [&](u32 begin, u32 end) {
    BucketCounts &own = counts[begin / kTogether];
    for (u32 id = begin; id < end; ++id) {
      const SectionSpec &spec = sections[id].spec;
      buckets[id] = kNoBucket;
      if (!spec.emitted)
        continue;
      buckets[id] = static_cast<u8>(spec.bucket ? *spec.bucket
                                                : default_bucket(spec.name, spec.type, spec.flags));
      ++own[buckets[id]];
    }
    names.read(begin, end, name_of);
  });
  return buckets;
}

// A stable sort by bucket: what is known of each range says where its sections go.
void ElfLayouter::order_sections() {
  const u32 count = writer_.section_count();
  NameOffsets names(writer_.options_.numbered_names, count, pool_);
  std::vector<BucketCounts> starts(count / kTogether + 1, BucketCounts{});
  RawVector<u8> buckets = read_sections(names, starts);
  if (!compact()) {
    layout_.section_name = names.place();
    layout_.shstrtab = names.take_names();
  }

  u32 emitted = 1;
  for (const BucketCounts &range : starts)
    emitted = std::accumulate(range.begin(), range.end(), emitted);
  // Indices no longer fit st_shndx and e_shnum. nvlink asks how many sections it has created, but
  // not in files with Mercury code.
  const bool by_creation = writer_.uncounted_ && writer_.options_.segments != SegmentRule::Mercury;
  const u64 created = by_creation ? u64{count} + writer_.uncounted_->size() : 0;
  if (std::max<u64>(emitted, created) >= kSectionLoReserve) {
    const u8 tables = static_cast<u8>(Bucket::Tables);
    buckets[writer_.symtab_shndx().value] = tables; // behind .symtab, which was added before it
    ++starts[0][tables];
    ++emitted;
  }
  layout_.section_count = emitted;
  u32 next = 0;
  for (u32 bucket = 0; bucket < kNoBucket; ++bucket)
    for (BucketCounts &range : starts)
      next += std::exchange(range[bucket], next);

  layout_.order.resize(emitted - 1);
  layout_.section_index.resize(count);
  layout_.section_offset.resize(count);
  pool_.for_ranges(count, kTogether, [&](u32 begin, u32 end) {
    BucketCounts &own = starts[begin / kTogether];
    for (u32 id = begin; id < end; ++id) {
      layout_.section_index[id] = 0;
      layout_.section_offset[id] = 0;
      if (buckets[id] == kNoBucket)
        continue;
      const u32 position = own[buckets[id]]++;
      layout_.order[position] = SectionId(id);
      layout_.section_index[id] = position + 1;
    }
  });
  if (compact())
    name_sections_in_use();
  layout_.shstrtab.size += writer_.options_.section_names_room;
}

void ElfLayouter::name_sections_in_use() {
  const u32 count = static_cast<u32>(layout_.order.size());
  NameOffsets names(nullptr, count, pool_);
  const auto name_at = [this](u32 position) -> NameOffsets::Name {
    return {writer_.section(layout_.order[position]).name};
  };
  pool_.for_ranges(count, kTogether, [&](u32 begin, u32 end) { names.read(begin, end, name_at); });
  const RawVector<u32> offsets = names.place();
  layout_.shstrtab = names.take_names();
  layout_.section_name.resize(writer_.section_count());
  std::ranges::fill(layout_.section_name, 0);
  for (u32 i = 0; i < count; ++i)
    layout_.section_name[layout_.order[i].value] = offsets[i];
}

bool ElfLayouter::is_valid(const SymbolSpec &symbol) const {
  return !symbol.emitted || !symbol.section.valid() || layout_.index_of(symbol.section) != 0;
}

Error ElfLayouter::find_wrong_symbol() const {
  const SymbolSpec *symbol = std::find_if_not(writer_.symbols_.begin(), writer_.symbols_.end(),
                                              [this](const auto &s) { return is_valid(s); });
  return Error{fmt::format("symbol '{}'", symbol->name), "st_shndx",
               "its section is not part of the file"};
}

// Local symbols come first. Two walks: one counts, and remembers what the other has to know.
std::optional<Error> ElfLayouter::number_symbols() {
  constexpr u32 kLocal = 1, kEmitted = 2;
  struct Counts {
    u32 of[4]; // by the two flags
  };
  const RawTable<SymbolSpec> &symbols = writer_.symbols_;
  const u32 count = writer_.symbol_count();
  RawVector<u8> flags(count);
  std::vector<Counts> ranges(count / kTogether + 1, Counts{});
  std::vector<u8> valid(ranges.size(), true);
  pool_.for_ranges(count, kTogether, [&](u32 begin, u32 end) {
    Counts own{};
    bool all = true;
    for (u32 id = begin; id < end; ++id) {
      const SymbolSpec &symbol = symbols[id];
      const u32 kind =
          (symbol.part == SymbolPart::Local ? kLocal : 0u) | (symbol.emitted ? kEmitted : 0u);
      flags[id] = static_cast<u8>(kind);
      ++own.of[kind];
      all &= is_valid(symbol);
    }
    ranges[begin / kTogether] = own;
    valid[begin / kTogether] = all;
  });
  if (std::ranges::find(valid, 0) != valid.end())
    return find_wrong_symbol();
  struct Next {
    u32 position, number;
  };
  Next local{0, 1}, global{};
  for (const Counts &range : ranges) {
    global.position += range.of[kLocal] + range.of[kLocal | kEmitted];
    global.number += range.of[kLocal | kEmitted];
  }
  layout_.first_global = ++global.number;
  std::vector<std::array<Next, 2>> starts(ranges.size()); // by range; of global and local ones
  for (u32 i = 0; i < ranges.size(); ++i) {
    const u32(&of)[4] = ranges[i].of;
    starts[i] = {global, local};
    global = {global.position + of[0] + of[kEmitted], global.number + of[kEmitted]};
    local = {local.position + of[kLocal] + of[kLocal | kEmitted],
             local.number + of[kLocal | kEmitted]};
  }
  layout_.symbol_count = global.number;
  symbol_order_.resize(count);
  layout_.symbol_number.resize(count);
  pool_.for_ranges(count, kTogether, [&](u32 begin, u32 end) {
    for (u32 id = begin; id < end; ++id) {
      Next &next = starts[begin / kTogether][flags[id] & kLocal];
      symbol_order_[next.position++] = id;
      layout_.symbol_number[id] = (flags[id] & kEmitted) != 0 ? next.number++ : 0;
    }
  });
  return std::nullopt;
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
    writer_.fixups_.for_each(writer_.sections_[id.value].fixups, [&](const Fixup &fixup) {
      if (fixup.kind == Fixup::Kind::StringOffset && !std::exchange(used[fixup.id], 1))
        out[next++] = fixup.id;
    });
  return out;
}

namespace {

NameOffsets::Name own_name(const SymbolSpec &symbol) {
  using Sharing = NameOffsets::Sharing;
  return {symbol.name, symbol.name_number,
          symbol.blank_name ? Sharing::Blank
          : symbol.named    ? Sharing::Equal
                            : Sharing::None};
}

} // namespace

// Strings for the front, names in the order of the symbols, new names of those that were renamed.
// In a compact file: names in the order of the symbols, old names, strings as contents use them.
void ElfLayouter::name_symbols() {
  using Sharing = NameOffsets::Sharing;
  using Name = NameOffsets::Name;
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
  const auto name_at = [&](u32 position) -> Name {
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
      return compact() ? own_name(writer_.symbols_[late.symbol.value])
                       : Name{late.name, kNoNumber, Sharing::Separately};
    }
    const u32 id = symbol_order_[position - symbols_at];
    if (compact() && !writer_.symbols_[id].emitted)
      return {{}, kNoNumber, Sharing::None};
    return compact() && !new_names[id].empty() ? Name{new_names[id]}
                                               : own_name(writer_.symbols_[id]);
  };
  NameOffsets names(writer_.options_.numbered_names, count, pool_);
  pool_.for_ranges(count, kTogether, [&](u32 begin, u32 end) { names.read(begin, end, name_at); });
  const RawVector<u32> offsets = names.place();
  layout_.strtab = names.take_names();
  layout_.string_offset.resize(strings);
  for (u32 i = 0; i < strings; ++i)
    if (string_order[i] != kNoString)
      layout_.string_offset[string_order[i]] = offsets[strings_at + i];
  layout_.symbol_name.resize(symbols);
  pool_.for_ranges(symbols, kTogether, [&](u32 begin, u32 end) {
    const u32 *order = symbol_order_.data(), *from = offsets.data() + symbols_at;
    u32 *to = layout_.symbol_name.data();
    for (u32 i = begin; i < end; ++i)
      to[order[i]] = from[i];
  });
  if (renamed != 0)
    layout_.late_symbol_name = layout_.symbol_name;
  for (u32 i = 0; i < renamed; ++i)
    (compact() ? layout_.symbol_name
               : layout_.late_symbol_name)[writer_.late_names_[i].symbol.value] =
        offsets[renamed_at + i];
}

SectionExtent ElfLayouter::extent_of(SectionId id) const {
  const SectionSpec &spec = writer_.section(id);
  return {.size = size_of(id),
          .align = static_cast<u32>(spec.align),
          .loads = loads_of(spec),
          .no_data = has_no_file_data(spec.type),
          .unusual =
              spec.shares_bytes_with.valid() || spec.gap_after != 0 || spec.align > 0xffffffff};
}

// Checks sections, and takes down what place_contents needs.
std::optional<Error> ElfLayouter::measure_sections() {
  const u32 count = static_cast<u32>(layout_.order.size());
  extents_.resize(count);
  touch_pages(extents_.data(), count * sizeof(SectionExtent), pool_);
  constexpr u32 kChecked = 256; // by one thread; some have long lists
  std::vector<u8> valid(count / kChecked + 1, true);
  pool_.for_ranges(count, kChecked, [&](u32 begin, u32 end) {
    bool all = true;
    for (u32 i = begin; i < end; ++i) {
      if (i + kStepsAhead < end) // in memory they are in order of creation
        prefetch(&writer_.sections_[layout_.order[i + kStepsAhead].value]);
      extents_[i] = extent_of(layout_.order[i]);
      all &= is_valid(writer_.sections_[layout_.order[i].value]);
    }
    valid[begin / kChecked] = all;
  });
  std::optional<Error> error;
  if (std::ranges::find(valid, 0) != valid.end())
    for (u32 i = 0; i < count && !error; ++i)
      error = check_section(layout_.order[i].value);
  return error;
}

u64 ElfLayouter::size_of(SectionId id) const {
  if (id.value > writer_.symtab_shndx().value)
    return writer_.size(id);
  if (id == writer_.shstrtab())
    return layout_.shstrtab.size;
  if (id == writer_.strtab())
    return layout_.strtab.size;
  if (id == writer_.symtab())
    return u64{layout_.symbol_count} * writer_.section(id).entsize;
  return u64{layout_.symbol_count} * 4;
}

Result<ElfLayout> ElfBuilder::lay_out() const {
  WorkerPool one_thread(1);
  return lay_out(one_thread);
}

Result<ElfLayout> ElfBuilder::lay_out(WorkerPool &pool) const {
  return ElfLayouter(*this, pool).run();
}

} // namespace culink::elf
