// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every number and offset of a file is decided here and nowhere else, in this order: the section
// table (a stable sort by bucket), symbol numbers (locals first), string offsets, file offsets,
// program headers. File = header, contents, section headers, program headers.
//
// Two things may surprise. Sections without file data take no bytes, yet their alignment moves the
// cursor, so padding appears in front of the next section. And program headers of device files
// carry file offsets only: every address is 0.
#include "elf/elf_builder.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/bytes.h"
#include "base/prefetch.h"
#include "base/string_index.h"
#include "elf/string_table.h"
#include "elf/wire.h"

namespace culink::elf {

Bucket default_bucket(std::string_view name, SectionType type, u64 flags) {
  if (is_symbol_table(type) || type == SectionType::Strtab || type == SectionType::SymtabShndx)
    return Bucket::Tables;
  if (is_relocation_table(type))
    return Bucket::Relocations;
  const bool debug = name.starts_with(".debug_") || name.starts_with(".nv_debug_");
  if (debug && type == SectionType::Progbits)
    return Bucket::Debug;
  if ((flags & kFlagAlloc) == 0)
    return Bucket::Metadata;
  if ((flags & kFlagExec) != 0)
    return Bucket::Code;
  if ((flags & kFlagWrite) == 0)
    return Bucket::Constants;
  return has_no_file_data(type) ? Bucket::NoData : Bucket::Data;
}

namespace {

constexpr u32 kMostInfoSymbol = 0xffffff; // the top byte of sh_info has another use

// Offsets of names in a string table. Names that have a number need no lookup by text, which in a
// large link is most of the work.
class NameTable {
public:
  NameTable(const StringIndex *numbered, u64 count)
      : numbered_(numbered), offset_of_(numbered ? numbered->size() : 0, 0) {
    table_.reserve(static_cast<u32>(count - std::min<u64>(count, offset_of_.size())));
  }

  // Prefetches a name that will be added soon.
  void expect(std::string_view name, u32 number) const {
    if (number == kNoNumber)
      table_.expect(name);
  }

  u32 add(std::string_view name, u32 number) {
    if (name.empty())
      return 0;
    if (number == kNoNumber && numbered_ && numbered_->may_contain(name))
      number = numbered_->find(name).value_or(kNoNumber);
    if (number == kNoNumber)
      return static_cast<u32>(table_.add(name));
    if (offset_of_[number] == 0)
      offset_of_[number] = add_separately(name);
    return offset_of_[number];
  }
  u32 add_separately(std::string_view name) {
    return static_cast<u32>(table_.add_separately(name));
  }
  [[nodiscard]] u64 size() const { return table_.size(); }

private:
  const StringIndex *numbered_;
  StringTable table_;
  std::vector<u32> offset_of_; // by number; 0: not yet
};

} // namespace

// A segment that is loaded: from the first to the end of the last section that it holds. It has a
// name of its own because files are compiled together, and a class below has it as a member.
struct LoadedSegment {
  u32 flags;          // of the segment
  u64 mask, expected; // of the flags of the sections that it holds
  enum class Parameters : u8 { Any, Only, None } parameters = Parameters::Any;
  std::optional<u64> first = {};
  u64 end = 0;
  u64 no_data = 0; // memory of sections without file data, after the bytes of the file

  // Whether a section holds kernel parameters; the caller may say that they are among the
  // constants.
  [[nodiscard]] static bool is_parameters(const SectionSpec &spec) {
    return spec.name.starts_with(".nv.constant0.") && spec.bucket != Bucket::Constants;
  }
  [[nodiscard]] bool holds(const SectionSpec &spec) const {
    if ((spec.flags & mask) != expected)
      return false;
    return parameters == Parameters::Any || (parameters == Parameters::Only) == is_parameters(spec);
  }
  void add(const SectionSpec &spec, u64 offset, u64 size) {
    first = first.value_or(offset);
    end = offset;
    if (!has_no_file_data(spec.type))
      end += size;
    else if ((flags & kSegmentWrite) != 0)
      no_data = align_up(no_data, spec.align) + size;
  }
  [[nodiscard]] ElfLayout::Segment segment() const {
    return {SegmentType::Load, flags, *first, end - *first, end - *first + no_data};
  }
};

namespace {

constexpr u32 kReadWrite = kSegmentRead | kSegmentWrite;
constexpr u32 kReadExec = kSegmentRead | kSegmentExec;

std::vector<LoadedSegment> classic_loads() {
  return {{kReadExec, kFlagAlloc | kFlagWrite, kFlagAlloc}, {kReadWrite, kFlagWrite, kFlagWrite}};
}

// One segment for each kind of content, parameters of kernels last.
std::vector<LoadedSegment> mercury_loads() {
  constexpr u64 kKind = kFlagAlloc | kFlagWrite | kFlagExec | kFlagMercury;
  return {{kSegmentRead, kKind, kFlagAlloc, LoadedSegment::Parameters::None},
          {kReadExec, kKind, kFlagAlloc | kFlagExec},
          {kReadWrite, kFlagWrite | kFlagMercury, kFlagWrite},
          {kSegmentRead, kKind, kFlagAlloc, LoadedSegment::Parameters::Only}};
}

} // namespace

class ElfLayouter {
public:
  ElfLayouter(const ElfBuilder &writer, WorkerPool &pool) : writer_(writer), pool_(pool) {}

  [[nodiscard]] Result<ElfLayout> run();

private:
  void order_sections();
  void number_symbols();
  [[nodiscard]] std::optional<Error> check_symbols() const;
  [[nodiscard]] std::optional<Error> check_sections() const;
  void place_contents();
  void place_tables(u64 contents_end);
  void add_to_loads(SectionId id);
  void plan_segments();
  [[nodiscard]] std::optional<Error> check_section(u32 id) const;

  [[nodiscard]] bool wide() const { return writer_.options_.elf_class == ElfClass::Elf64; }
  [[nodiscard]] u64 size_of(SectionId id) const;
  // Prefetches a section: in memory they are in order of creation, not in that of the file.
  void prefetch_section(u32 position) const {
    if (position < layout_.order.size())
      prefetch(&writer_.sections_[layout_.order[position].value]);
  }

  const ElfBuilder &writer_;
  WorkerPool &pool_;
  ElfLayout layout_;
  std::vector<LoadedSegment> loads_; // segments known so far
};

Result<ElfLayout> ElfLayouter::run() {
  // The names of sections and those of symbols have nothing in common.
  pool_.for_each(2, [this](u32 table) { table == 0 ? order_sections() : number_symbols(); });
  if (std::optional<Error> error = check_symbols())
    return std::move(*error);
  if (std::max(layout_.strtab_size, layout_.shstrtab_size) > 0xffffffff)
    return Error{".strtab", "sh_size", "names take more than 4 GiB"};
  if (std::optional<Error> error = check_sections())
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
  // For shared memory nvlink -r sums up to alignments such as 48; its next link reads them back.
  const bool any_align = spec.type == SectionType::CudaShared || spec.type == SectionType::Nobits;
  if (spec.align != 0 && !is_power_of_two(spec.align) && !any_align)
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

// The order and the names of sections, in one walk.
void ElfLayouter::order_sections() {
  const std::vector<ElfBuilder::SectionState> &sections = writer_.sections_;
  layout_.section_index.assign(sections.size(), 0);
  layout_.section_name.reserve(sections.size());
  NameTable names(writer_.options_.numbered_names, sections.size());
  std::vector<std::string_view> old_names(writer_.old_names_.empty() ? 0 : sections.size());
  for (const ElfBuilder::OldName &old : writer_.old_names_)
    old_names[old.section.value] = old.name;
  std::array<std::vector<SectionId>, 256> buckets;
  u32 count = 1;
  layout_.section_names.reserve(sections.size());
  for (u32 id = 0; id < sections.size(); ++id) {
    const SectionSpec &spec = sections[id].spec;
    const bool renamed = !old_names.empty() && !old_names[id].empty();
    const u64 size_before = names.size();
    const u32 offset = id >= writer_.first_separate_
                           ? names.add_separately(spec.name)
                           : names.add(renamed ? old_names[id] : spec.name,
                                       renamed ? kNoNumber : spec.name_number);
    layout_.section_name.push_back(offset);
    if (!old_names.empty() || names.size() != size_before)
      layout_.section_names.push_back({offset, spec.name});
    if (!spec.emitted)
      continue;
    const Bucket bucket =
        spec.bucket ? *spec.bucket : default_bucket(spec.name, spec.type, spec.flags);
    buckets[static_cast<u8>(bucket)].push_back(SectionId(id));
    ++count;
  }
  layout_.shstrtab_size = names.size();
  // Indices no longer fit st_shndx and e_shnum. nvlink asks how many sections it has created, but
  // not in files with Mercury code.
  const bool by_creation = writer_.uncounted_ && writer_.options_.segments != SegmentRule::Mercury;
  const u64 created = by_creation ? sections.size() + writer_.uncounted_->size() : 0;
  if (std::max<u64>(count, created) >= kSectionLoReserve) {
    std::vector<SectionId> &tables = buckets[static_cast<u8>(Bucket::Tables)];
    tables.insert(std::find(tables.begin(), tables.end(), writer_.symtab()) + 1,
                  writer_.symtab_shndx());
    ++count;
  }
  layout_.section_count = count;
  layout_.order.reserve(count - 1);
  for (const std::vector<SectionId> &bucket : buckets)
    for (const SectionId id : bucket) {
      layout_.order.push_back(id);
      layout_.section_index[id.value] = static_cast<u32>(layout_.order.size());
    }
}

// Local symbols come first; the string table has the same order.
void ElfLayouter::number_symbols() {
  const RawTable<SymbolSpec> &symbols = writer_.symbols_;
  NameTable names(writer_.options_.numbered_names, symbols.size());
  for (const ElfBuilder::EarlyString &string : writer_.strings_)
    layout_.string_offset.push_back(string.separately ? names.add_separately(string.text)
                                                      : names.add(string.text, kNoNumber));
  layout_.symbol_number.assign(symbols.size(), 0);
  layout_.symbol_name.assign(symbols.size(), 0);
  u32 next = 1, blank = 0;
  const auto expect = [&](u32 id) { names.expect(symbols[id].name, symbols[id].name_number); };
  const auto take = [&](u32 id) {
    if (symbols[id].emitted)
      layout_.symbol_number[id] = next++;
    if (symbols[id].blank_name)
      layout_.symbol_name[id] = blank = blank != 0 ? blank : names.add_separately("");
    else if (symbols[id].named)
      layout_.symbol_name[id] = names.add(symbols[id].name, symbols[id].name_number);
  };
  std::vector<u32> globals;
  for (u32 id = 0; id < symbols.size(); ++id)
    if (symbols[id].part == SymbolPart::Local)
      take(id);
    else
      globals.push_back(id);
  layout_.first_global = next;
  for (u32 i = 0; i < globals.size(); ++i) {
    if (i + kStepsAhead < globals.size())
      expect(globals[i + kStepsAhead]);
    take(globals[i]);
  }
  for (const ElfBuilder::LateName &late : writer_.late_names_)
    layout_.late_name.push_back(names.add_separately(late.name));
  layout_.symbol_count = next;
  layout_.strtab_size = names.size();
}

namespace {

constexpr u32 kCheckedTogether = 8192;

// The first error of those that ranges of a table have.
template <typename Check>
std::optional<Error> first_error(WorkerPool &pool, u32 count, Check check) {
  const u32 grain = pool.threads() == 1 ? std::max(count, 1u) : kCheckedTogether;
  std::vector<std::optional<Error>> errors(count / grain + 1);
  pool.for_ranges(count, grain, [&](u32 begin, u32 end) {
    for (u32 i = begin; i < end && !errors[begin / grain]; ++i)
      errors[begin / grain] = check(i);
  });
  const auto found = std::ranges::find_if(errors, [](const auto &e) { return e.has_value(); });
  return found == errors.end() ? std::nullopt : std::move(*found);
}

} // namespace

std::optional<Error> ElfLayouter::check_symbols() const {
  const auto check = [this](u32 id) -> std::optional<Error> {
    const SymbolSpec &symbol = writer_.symbols_[id];
    if (!symbol.emitted || !symbol.section.valid() || layout_.index_of(symbol.section) != 0)
      return std::nullopt;
    return Error{fmt::format("symbol '{}'", symbol.name), "st_shndx",
                 "its section is not part of the file"};
  };
  return first_error(pool_, static_cast<u32>(writer_.symbols_.size()), check);
}

std::optional<Error> ElfLayouter::check_sections() const {
  return first_error(pool_, static_cast<u32>(layout_.order.size()), [this](u32 i) {
    prefetch_section(i + kStepsAhead);
    return check_section(layout_.order[i].value);
  });
}

u64 ElfLayouter::size_of(SectionId id) const {
  if (id == writer_.shstrtab())
    return layout_.shstrtab_size;
  if (id == writer_.strtab())
    return layout_.strtab_size;
  if (id == writer_.symtab())
    return u64{layout_.symbol_count} * writer_.section(id).entsize;
  if (id == writer_.symtab_shndx())
    return u64{layout_.symbol_count} * 4;
  return writer_.size(id);
}

void ElfLayouter::place_contents() {
  layout_.section_offset.assign(writer_.sections_.size(), 0);
  u64 cursor = wide() ? sizeof(wire::Ehdr64) : sizeof(wire::Ehdr32);
  const bool classic = writer_.options_.segments == SegmentRule::Classic;
  loads_ = classic ? classic_loads() : mercury_loads();
  std::vector<SectionId> sharing; // sections without bytes of their own
  for (u32 i = 0; i < layout_.order.size(); ++i) {
    prefetch_section(i + kStepsAhead);
    const SectionId id = layout_.order[i];
    const SectionSpec &spec = writer_.section(id);
    if (spec.shares_bytes_with.valid()) {
      sharing.push_back(id);
      continue;
    }
    cursor = align_up(cursor, spec.align);
    layout_.section_offset[id.value] = cursor;
    if (!has_no_file_data(spec.type))
      cursor += size_of(id);
    cursor += spec.gap_after;
    if (classic)
      add_to_loads(id);
  }
  for (const SectionId id : sharing)
    layout_.section_offset[id.value] =
        layout_.section_offset[writer_.section(id).shares_bytes_with.value];
  if (!classic) // counterparts are among the others
    for (const SectionId id : layout_.order)
      add_to_loads(id);
  place_tables(cursor);
}

void ElfLayouter::place_tables(u64 contents_end) {
  layout_.section_table = align_up(contents_end, wide() ? 8 : 4);
  const u64 table_size =
      layout_.section_count * (wide() ? sizeof(wire::Shdr64) : sizeof(wire::Shdr32));
  layout_.file_size = layout_.section_table + table_size;
  if (writer_.options_.type != FileType::Executable ||
      writer_.options_.segments == SegmentRule::None)
    return;
  layout_.segment_table = layout_.file_size;
  plan_segments();
  const u64 segments_size =
      layout_.segments.size() * (wide() ? sizeof(wire::Phdr64) : sizeof(wire::Phdr32));
  for (ElfLayout::Segment &segment : layout_.segments)
    if (segment.offset == layout_.segment_table) // the table itself: its size is known only now
      segment.filesz = segment.memsz = segments_size;
  layout_.file_size += segments_size;
}

void ElfLayouter::add_to_loads(SectionId id) {
  const SectionSpec &spec = writer_.section(id);
  for (LoadedSegment &load : loads_)
    if (load.holds(spec))
      load.add(spec, layout_.offset_of(id), size_of(id));
}

void ElfLayouter::plan_segments() {
  const bool classic = writer_.options_.segments == SegmentRule::Classic;
  const u64 table = layout_.segment_table;
  const u32 flags = classic ? kReadExec : kSegmentRead;
  const auto add_table = [&](SegmentType type) {
    layout_.segments.push_back({type, flags, table, 0, 0});
  };
  add_table(SegmentType::Phdr);
  if (!classic)
    add_table(SegmentType::Load);
  for (const LoadedSegment &load : loads_)
    if (load.first)
      layout_.segments.push_back(load.segment());
  if (classic)
    add_table(SegmentType::Load);
}

Result<ElfLayout> ElfBuilder::lay_out() const {
  WorkerPool one_thread(1);
  return lay_out(one_thread);
}

Result<ElfLayout> ElfBuilder::lay_out(WorkerPool &pool) const {
  return ElfLayouter(*this, pool).run();
}

} // namespace culink::elf
