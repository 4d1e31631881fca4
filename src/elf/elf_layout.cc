// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Assigns all numbers and offsets of a file, in this order: symbol numbers (locals first), the
// section table (a stable sort by bucket), string offsets, file offsets, program headers. File =
// header, contents, section headers, program headers.
//
// What may surprise: sections without file data take no bytes, but their alignment moves the
// offset, so padding appears before the next section. Program headers of device files only have
// file offsets: every address is 0.
#include <algorithm>
#include <array>
#include <functional>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "elf/elf_file.h"
#include "elf/wire.h"
#include "support/bytes.h"

namespace culink::elf {

namespace {

constexpr u8 kNoBucket = 255; // of sections that are not in the file
constexpr u32 kNoString = 0xffffffff;
constexpr u32 kMostInfoSymbol = 0xffffff; // the top byte of sh_info has another use

constexpr u32 kReadWrite = kSegmentRead | kSegmentWrite;
constexpr u32 kReadExec = kSegmentRead | kSegmentExec;

// A loaded segment: from its first section to the end of its last one.
struct LoadedSegment {
  u32 flags;          // of the segment
  u64 mask, expected; // of the flags of its sections
  enum class Parameters : u8 { Any, Only, None } parameters = Parameters::Any;
  std::optional<u64> first = {};
  u64 end = 0;
  u64 no_data = 0; // size in memory of its sections without file data

  [[nodiscard]] bool holds(const OutSection &section, const SectionTable &sections) const {
    if ((section.flags & mask) != expected)
      return false;
    if (parameters == Parameters::Any)
      return true;
    // The caller may have moved kernel parameters to the bucket of constants.
    const bool has_parameters =
        sections.name(section).starts_with(".nv.constant0.") && section.bucket != Bucket::Constants;
    return has_parameters == (parameters == Parameters::Only);
  }
  void add(const OutSection &section, u64 offset) {
    const bool has_bytes = !has_no_file_data(section.type);
    first = first.value_or(offset);
    end = offset + (has_bytes ? section.size : 0);
    if (!has_bytes && (flags & kSegmentWrite) != 0)
      no_data = align_up(no_data, section.align) + section.size;
  }
  [[nodiscard]] ElfLayout::Segment segment() const {
    return {SegmentType::Load, flags, *first, end - *first, end - *first + no_data};
  }
};

std::vector<LoadedSegment> classic_loads() {
  return {{kReadExec, kFlagAlloc | kFlagWrite, kFlagAlloc}, {kReadWrite, kFlagWrite, kFlagWrite}};
}

// One segment for each kind of content; kernel parameters last.
std::vector<LoadedSegment> mercury_loads() {
  constexpr u64 kKind = kFlagAlloc | kFlagWrite | kFlagExec | kFlagMercury;
  return {{kSegmentRead, kKind, kFlagAlloc, LoadedSegment::Parameters::None},
          {kReadExec, kKind, kFlagAlloc | kFlagExec},
          {kReadWrite, kFlagWrite | kFlagMercury, kFlagWrite},
          {kSegmentRead, kKind, kFlagAlloc, LoadedSegment::Parameters::Only}};
}

// For shared memory, nvlink -r writes sums as alignments, such as 48; its next link reads these.
bool may_have_any_align(const OutSection &section) {
  return section.type == SectionType::CudaShared || section.type == SectionType::Nobits;
}

} // namespace

class ElfLayouter {
public:
  explicit ElfLayouter(const ElfFile &file) : file_(file), sections_(file.sections) {}

  [[nodiscard]] Result<ElfLayout> run(SymbolNumbers numbers, WorkerPool &pool);

private:
  using Sharing = TableName::Sharing;
  void order_sections();
  void number_as_added();
  [[nodiscard]] bool needs_large_indices() const;
  void name_sections();
  [[nodiscard]] std::vector<u32> order_strings() const;
  void name_symbols();
  [[nodiscard]] TableName own_name(u32 symbol) const;
  [[nodiscard]] std::optional<Error> check_symbols() const;
  [[nodiscard]] bool is_absent(SectionId id) const {
    return id.valid() && layout_.index_of(id) == 0;
  }
  [[nodiscard]] std::optional<Error> check_section(const OutSection &section) const;
  [[nodiscard]] std::optional<Error> check_sections() const;
  void measure_tables();
  [[nodiscard]] u64 place_contents();
  void place_tables(u64 contents_end);
  void plan_segments();

  [[nodiscard]] bool compact() const { return file_.options.compact; }
  [[nodiscard]] bool classic() const { return file_.options.segments == SegmentRule::Classic; }

  const ElfFile &file_;
  const SectionTable &sections_;
  ElfLayout layout_;
};

// Names and checks only depend on the order of the sections, so they run at the same time.
Result<ElfLayout> ElfLayouter::run(SymbolNumbers numbers, WorkerPool &pool) {
  layout_.symbols = std::move(numbers);
  order_sections();
  std::optional<Error> wrong_symbol, wrong_section;
  const std::array<std::function<void()>, 5> tasks = {
      [&] { name_symbols(); }, [&] { name_sections(); }, [&] { wrong_section = check_sections(); },
      [&] { wrong_symbol = check_symbols(); }, [&] { number_as_added(); }};
  pool.for_each(static_cast<u32>(tasks.size()), [&](u32 i) { tasks[i](); });
  if (wrong_symbol)
    return std::move(*wrong_symbol);
  if (std::max(layout_.strtab.size, layout_.shstrtab.size) > 0xffffffff)
    return Error{".strtab", "sh_size", "names take more than 4 GiB"};
  if (wrong_section)
    return std::move(*wrong_section);
  measure_tables();
  place_tables(place_contents());
  if (!file_.wide() && layout_.file_size > 0xffffffff)
    return Error{"ELF header", "EI_CLASS", "a 32-bit file cannot exceed 4 GiB"};
  return std::move(layout_);
}

// True if indices do not fit st_shndx and e_shnum. nvlink uses the number of created sections,
// except in files with Mercury code.
bool ElfLayouter::needs_large_indices() const {
  u64 emitted = 1, created = 0;
  for (const OutSection &section : sections_.list) {
    emitted += section.emitted();
    created += !section.discarded();
  }
  const bool by_creation = file_.uncounted_ && file_.options.segments != SegmentRule::Mercury;
  return emitted >= kSectionLoReserve ||
         (by_creation && created + file_.uncounted_->size() >= kSectionLoReserve);
}

// A stable sort by bucket.
void ElfLayouter::order_sections() {
  const u32 count = sections_.size();
  const bool has_indices = needs_large_indices();
  std::vector<u8> buckets(count);
  std::array<u32, kNoBucket + 1> next{};
  for (u32 id = 0; id < count; ++id) {
    const OutSection &section = sections_.list[id];
    if (SectionId(id) == ElfFile::kSymtabShndx)
      buckets[id] = has_indices ? static_cast<u8>(Bucket::Tables) : kNoBucket;
    else if (!section.emitted())
      buckets[id] = kNoBucket;
    else
      buckets[id] = static_cast<u8>(
          section.bucket != Bucket::ByHeader
              ? section.bucket
              : default_bucket(sections_.name(section), section.type, section.flags));
    ++next[buckets[id]];
  }
  const u32 emitted = count - next[kNoBucket];
  std::exclusive_scan(next.begin(), next.end(), next.begin(), 0u);
  layout_.section_count = emitted + 1;
  layout_.order.resize(emitted);
  layout_.section_index.resize(count);
  for (u32 id = 0; id < count; ++id)
    if (buckets[id] != kNoBucket) {
      const u32 position = next[buckets[id]]++;
      layout_.order[position] = SectionId(id);
      layout_.section_index[id] = position + 1;
    }
}

// Numbers the sections in order of creation, including those of which only the name is left (Q059).
void ElfLayouter::number_as_added() {
  if (!file_.uncounted_ || layout_.index_of(ElfFile::kSymtabShndx) == 0)
    return;
  u32 next = 1;
  auto uncounted = file_.uncounted_->begin();
  for (u32 id = 0; id < sections_.size(); ++id) {
    layout_.number_as_added.push_back(next);
    next += sections_.list[id].discarded() ? 0 : 1;
    for (; uncounted != file_.uncounted_->end() && uncounted->value <= id; ++uncounted)
      ++next;
  }
}

// Places section names in the order of creation, including sections that are not in the file. A
// compact file has the order of the section table, and only names of sections in it.
void ElfLayouter::name_sections() {
  std::vector<std::string_view> old_names(file_.old_names_.empty() ? 0 : sections_.size());
  for (const ElfFile::OldName &old : file_.old_names_)
    old_names[old.section.value] = old.name;
  const auto name_by_creation = [&](u32 id) -> TableName {
    const OutSection &section = sections_.list[id];
    if (section.discarded())
      return {{}, kNoNumber, Sharing::None};
    if (id >= file_.first_separate_)
      return {sections_.name(section), kNoNumber, Sharing::Separately};
    if (!old_names.empty() && !old_names[id].empty())
      return {old_names[id]};
    return {sections_.name(section), section.name};
  };
  const auto name_by_position = [&](u32 position) -> TableName {
    const OutSection &section = sections_[layout_.order[position]];
    return {sections_.name(section), section.name};
  };
  layout_.shstrtab =
      compact() ? place_names(&sections_.names, layout_.section_count - 1, name_by_position)
                : place_names(&sections_.names, sections_.size(), name_by_creation);
  layout_.shstrtab.size += file_.options.section_names_room;
}

// Returns the strings in the order of their creation; in a compact file in the order of their first
// use, without unused ones.
std::vector<u32> ElfLayouter::order_strings() const {
  std::vector<u32> out(file_.strings_.size(), kNoString);
  if (!compact()) {
    std::iota(out.begin(), out.end(), 0);
    return out;
  }
  std::vector<u8> used(out.size());
  u32 next = 0;
  for (const SectionId id : layout_.order)
    if (const SectionExtra *extra = sections_.find_extra(sections_[id]))
      for (const Fixup &fixup : extra->fixups)
        if (fixup.kind == Fixup::Kind::StringOffset && !std::exchange(used[fixup.id], 1))
          out[next++] = fixup.id;
  return out;
}

TableName ElfLayouter::own_name(u32 id) const {
  const OutSymbols::Entry &entry = file_.symbols[SymbolId(id)];
  if (entry.kind == OutSymbols::Entry::Kind::Section) {
    const OutSection &section = sections_.list[entry.id];
    return {sections_.name(section), section.name};
  }
  const SymbolSpec &symbol = file_.symbols.specified(entry);
  return {symbol.name, kNoNumber,
          symbol.blank_name ? Sharing::Blank
          : symbol.named    ? Sharing::Equal
                            : Sharing::None};
}

// Places the strings at the front, then names in the order of the symbols, then new names of
// renamed symbols. In a compact file: names in the order of the symbols, old names, then strings in
// the order of their use.
void ElfLayouter::name_symbols() {
  const u32 strings = static_cast<u32>(file_.strings_.size());
  const u32 symbols = file_.symbols.size();
  const u32 renamed = static_cast<u32>(file_.late_names_.size());
  const u32 count = strings + symbols + renamed;
  const std::vector<u32> string_order = order_strings();
  const u32 symbols_at = compact() ? 0 : strings, renamed_at = symbols_at + symbols,
            strings_at = compact() ? renamed_at + renamed : 0;
  std::vector<std::string_view> new_names(compact() ? symbols : 0);
  for (u32 i = 0; compact() && i < renamed; ++i)
    new_names[file_.late_names_[i].symbol.value] = file_.late_names_[i].name;
  const auto name_at = [&](u32 position) -> TableName {
    if (position - strings_at < strings) {
      const u32 id = string_order[position - strings_at];
      if (id == kNoString)
        return {{}, kNoNumber, Sharing::None};
      const ElfFile::EarlyString &string = file_.strings_[id];
      const bool separately = string.separately && !compact();
      return {string.text, kNoNumber, separately ? Sharing::Separately : Sharing::Equal};
    }
    if (position >= renamed_at) {
      const ElfFile::LateName &late = file_.late_names_[position - renamed_at];
      return compact() ? own_name(late.symbol.value)
                       : TableName{late.name, kNoNumber, Sharing::Separately};
    }
    const u32 id = layout_.symbols.order[position - symbols_at];
    if (compact() && layout_.symbols.of[id] == 0)
      return {{}, kNoNumber, Sharing::None};
    return compact() && !new_names[id].empty() ? TableName{new_names[id]} : own_name(id);
  };
  layout_.strtab = place_names(&sections_.names, count, name_at);
  const u32 *offsets = layout_.strtab.offsets.data();
  layout_.string_offset.resize(strings);
  for (u32 i = 0; i < strings; ++i)
    if (string_order[i] != kNoString)
      layout_.string_offset[string_order[i]] = offsets[strings_at + i];
  layout_.symbol_name.resize(symbols);
  for (u32 i = 0; i < symbols; ++i)
    layout_.symbol_name[layout_.symbols.order[i]] = offsets[symbols_at + i];
  if (renamed == 0)
    return;
  layout_.late_symbol_name = layout_.symbol_name;
  std::vector<u32> &names = compact() ? layout_.symbol_name : layout_.late_symbol_name;
  for (u32 i = 0; i < renamed; ++i)
    names[file_.late_names_[i].symbol.value] = offsets[renamed_at + i];
}

// A symbol in the file must not be in a section that is not in the file.
std::optional<Error> ElfLayouter::check_symbols() const {
  for (u32 id = 0; id < file_.symbols.size(); ++id)
    if (is_absent(file_.symbols.section_of(file_.symbols[SymbolId(id)])))
      return Error{fmt::format("symbol '{}'", file_.symbols.spec(SymbolId(id), sections_).name),
                   "st_shndx", "its section is not part of the file"};
  return std::nullopt;
}

std::optional<Error> ElfLayouter::check_section(const OutSection &section) const {
  const auto refuse = [&](const char *field, std::string message) {
    return Error{fmt::format("section '{}'", sections_.name(section)), field, std::move(message)};
  };
  if (section.align != 0 && !is_power_of_two(section.align) && !may_have_any_align(section))
    return refuse("sh_addralign", fmt::format("{:#x} is not a power of two", section.align));
  if (is_absent(section.link))
    return refuse("sh_link", "names a section that is not part of the file");
  if (const auto *info = std::get_if<SectionId>(&section.info.value()); info && is_absent(*info))
    return refuse("sh_info", "names a section that is not part of the file");
  if (const auto *info = std::get_if<InfoField::SymbolNumber>(&section.info.value());
      info && info->top_byte != 0 && layout_.number_of(info->symbol) > kMostInfoSymbol)
    return refuse("sh_info", fmt::format("{} is too large for the number of a symbol beside a "
                                         "register count, {} is the most",
                                         layout_.number_of(info->symbol), kMostInfoSymbol));
  const SectionExtra *extra = sections_.find_extra(section);
  if (!extra)
    return std::nullopt;
  if (is_absent(extra->shares_bytes_with))
    return refuse("sh_offset", "shares bytes with a section that is not part of the file");
  for (const Fixup &fixup : extra->fixups) {
    if (fixup.offset > section.size || section.size - fixup.offset < 4)
      return refuse("content", fmt::format("no word at {:#x} to fill in", fixup.offset));
    const bool is_relocation =
        fixup.kind == Fixup::Kind::RelocationSymbol || fixup.kind == Fixup::Kind::RelocationSymbol8;
    if (const SymbolId symbol(fixup.id); is_relocation && layout_.number_of(symbol) == 0)
      return refuse("r_info", fmt::format("symbol '{}' is not part of the file",
                                          file_.symbols.spec(symbol, sections_).name));
  }
  return std::nullopt;
}

std::optional<Error> ElfLayouter::check_sections() const {
  for (const SectionId id : layout_.order)
    if (std::optional<Error> error = check_section(sections_[id]))
      return error;
  return std::nullopt;
}

// Sets the sizes of tables that are generated when the file is written.
void ElfLayouter::measure_tables() {
  const u64 symbols = layout_.symbols.count;
  layout_.table_sizes = {layout_.shstrtab.size, layout_.strtab.size,
                         symbols * sections_[ElfFile::kSymtab].entsize,
                         symbols * sections_[ElfFile::kSymtabShndx].entsize};
}

// Places the contents and returns the end of the last section.
u64 ElfLayouter::place_contents() {
  u64 cursor = file_.wide() ? sizeof(wire::Ehdr64) : sizeof(wire::Ehdr32);
  layout_.content_offset.resize(layout_.order.size());
  std::vector<u32> sharing; // positions of sections that share the bytes of another one
  for (u32 i = 0; i < layout_.order.size(); ++i) {
    const SectionId id = layout_.order[i];
    const OutSection &section = sections_[id];
    const SectionExtra *extra = sections_.find_extra(section);
    if (extra && extra->shares_bytes_with.valid()) {
      sharing.push_back(i);
      continue;
    }
    cursor = align_up(cursor, section.align);
    layout_.content_offset[i] = cursor;
    if (!has_no_file_data(section.type))
      cursor += layout_.size_of(id, section);
    cursor += extra ? extra->gap_after : 0;
  }
  for (const u32 i : sharing)
    layout_.content_offset[i] =
        layout_.offset_of(sections_.find_extra(sections_[layout_.order[i]])->shares_bytes_with);
  return cursor;
}

void ElfLayouter::place_tables(u64 contents_end) {
  const bool wide = file_.wide();
  layout_.section_table = compact() ? contents_end : align_up(contents_end, wide ? 8 : 4);
  const u64 table_size =
      layout_.section_count * (wide ? sizeof(wire::Shdr64) : sizeof(wire::Shdr32));
  layout_.file_size = layout_.section_table + table_size;
  if (file_.options.type != FileType::Executable || file_.options.segments == SegmentRule::None)
    return;
  layout_.segment_table = layout_.file_size;
  plan_segments();
  const u64 segments_size =
      layout_.segments.size() * (wide ? sizeof(wire::Phdr64) : sizeof(wire::Phdr32));
  for (ElfLayout::Segment &segment : layout_.segments)
    if (segment.offset == layout_.segment_table) // the table itself: its size is known only now
      segment.filesz = segment.memsz = segments_size;
  layout_.file_size += segments_size;
}

void ElfLayouter::plan_segments() {
  std::vector<LoadedSegment> loads = classic() ? classic_loads() : mercury_loads();
  for (u32 i = 0; i < layout_.order.size(); ++i) {
    const OutSection &section = sections_[layout_.order[i]];
    for (LoadedSegment &load : loads)
      if (load.holds(section, sections_))
        load.add(section, layout_.content_offset[i]);
  }
  const u64 table = layout_.segment_table;
  const u32 flags = classic() ? kReadExec : kSegmentRead;
  const auto add_table = [&](SegmentType type) {
    layout_.segments.push_back({type, flags, table, 0, 0});
  };
  add_table(SegmentType::Phdr);
  if (!classic())
    add_table(SegmentType::Load);
  for (const LoadedSegment &load : loads)
    if (load.first)
      layout_.segments.push_back(load.segment());
  if (classic())
    add_table(SegmentType::Load);
}

Result<ElfLayout> ElfFile::lay_out(SymbolNumbers numbers, WorkerPool &pool) const {
  return ElfLayouter(*this).run(std::move(numbers), pool);
}

} // namespace culink::elf
