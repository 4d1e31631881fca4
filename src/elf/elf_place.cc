// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where contents lie in the file, and the segments that are loaded. The end of a section is where
// the next one begins. But behind a section of the largest alignment of some hundred, offsets
// within these are known before it is known where they begin. So all threads measure ranges of
// sections, one adds them up, and all find the offsets of the sections of each.
#include "elf/elf_layouter.h"

#include <algorithm>
#include <span>

#include <fmt/format.h>

#include "base/bytes.h"
#include "elf/wire.h"

namespace culink::elf {

namespace {

constexpr u32 kMostInfoSymbol = 0xffffff; // the top byte of sh_info has another use

// For shared memory nvlink -r sums up to alignments such as 48; its next link reads them back.
bool may_have_any_align(const SectionSpec &spec) {
  return spec.type == SectionType::CudaShared || spec.type == SectionType::Nobits;
}

template <typename Use>
void for_loads(const SectionExtent &extent, std::vector<LoadedSegment> &loads, Use use) {
  for (u32 i = 0, held = extent.loads; held != 0; ++i, held >>= 1)
    if ((held & 1) != 0)
      use(loads[i]);
}

} // namespace

std::optional<Error> ElfLayouter::check_section(u32 id) const {
  const SectionSpec spec = writer_.section(SectionId(id));
  const auto refuse = [&spec](const char *field, std::string message) {
    return Error{fmt::format("section '{}'", spec.name), field, std::move(message)};
  };
  if (!spec.emitted)
    return std::nullopt;
  if (spec.align != 0 && !is_power_of_two(spec.align) && !may_have_any_align(spec))
    return refuse("sh_addralign", fmt::format("{:#x} is not a power of two", spec.align));
  if (is_absent(spec.link))
    return refuse("sh_link", "names a section that is not part of the file");
  if (const auto *info = std::get_if<SectionId>(&spec.info.value()); info && is_absent(*info))
    return refuse("sh_info", "names a section that is not part of the file");
  if (const auto *info = std::get_if<InfoField::SymbolNumber>(&spec.info.value());
      info && info->top_byte != 0 && layout_.number_of(info->symbol) > kMostInfoSymbol)
    return refuse("sh_info", fmt::format("{} is too large for the number of a symbol beside a "
                                         "register count, {} is the most",
                                         layout_.number_of(info->symbol), kMostInfoSymbol));
  if (is_absent(spec.shares_bytes_with))
    return refuse("sh_offset", "shares bytes with a section that is not part of the file");
  const State &state = writer_.sections_[id];
  const BuiltSections::Detail *detail = writer_.sections_.find_detail(state);
  if (!detail)
    return std::nullopt;
  std::optional<Error> error;
  writer_.fixups_.for_each(detail->fixups, [&](const Fixup &fixup) {
    if (!error && (fixup.offset > state.size || state.size - fixup.offset < 4))
      error = refuse("content", fmt::format("no word at {:#x} to fill in", fixup.offset));
  });
  writer_.relocations_.for_each(detail->relocations, [&](const RelocationSpec &entry) {
    if (!error && entry.symbol.valid() && layout_.number_of(entry.symbol) == 0)
      error = refuse("r_info", fmt::format("symbol '{}' is not part of the file",
                                           writer_.symbol(entry.symbol).name));
  });
  return error;
}

// Whether check_section finds nothing wrong; it takes longer, and is asked where these say no.
bool ElfLayouter::is_valid(const SectionSpec &kind) const {
  return ((kind.align & (kind.align - 1)) == 0 || may_have_any_align(kind)) &&
         !is_absent(kind.link) && !is_absent(kind.shares_bytes_with);
}

[[gnu::always_inline]] inline bool ElfLayouter::is_valid_info(const InfoField &form,
                                                              u32 number) const {
  if (std::holds_alternative<SectionId>(form.value()))
    return !is_absent(SectionId(number));
  const auto *symbol = std::get_if<InfoField::SymbolNumber>(&form.value());
  return !symbol || symbol->top_byte == 0 || layout_.number_of(SymbolId(number)) <= kMostInfoSymbol;
}

bool ElfLayouter::is_valid(const BuiltSections::Detail &detail, const State &state) const {
  const u64 size = state.size;
  bool valid = is_valid(detail.spec) &&
               is_valid_info(detail.spec.info, writer_.sections_.info_number_of(state));
  writer_.fixups_.for_each(detail.fixups, [&](const Fixup &fixup) {
    valid &= fixup.offset <= size && size - fixup.offset >= 4;
  });
  writer_.relocations_.for_each(detail.relocations, [&](const RelocationSpec &entry) {
    valid &= !entry.symbol.valid() || layout_.number_of(entry.symbol) != 0;
  });
  return valid;
}

u8 ElfLayouter::loads_of(const SectionSpec &spec) const {
  u32 out = 0, bit = 1;
  for (const LoadedSegment &load : loads_) {
    out |= load.holds(spec) ? bit : 0;
    bit <<= 1;
  }
  return static_cast<u8>(out);
}

// But for the size.
SectionExtent ElfLayouter::extent_of(const SectionSpec &spec) const {
  SectionExtent extent{.align = static_cast<u32>(std::max<u64>(spec.align, 1)),
                       .no_data = has_no_file_data(spec.type),
                       .unusual = spec.shares_bytes_with.valid() || spec.gap_after != 0 ||
                                  (spec.align & (spec.align - 1)) != 0 || spec.align > 0xffffffff};
  if ((spec.flags & kFlagsOfLoads) != 0)
    extent.loads = loads_of(spec);
  return extent;
}

void ElfLayouter::measure_kinds() {
  const std::span<const SectionSpec> specs = writer_.sections_.kinds();
  for (u32 i = 0; i < specs.size(); ++i) {
    kinds_[i].extent = extent_of(specs[i]);
    kinds_[i].valid = is_valid(specs[i]);
  }
}

// Returns whether the section is valid.
[[gnu::always_inline]] inline bool ElfLayouter::measure(const State &state,
                                                        SectionExtent &extent) const {
  const BuiltSections &sections = writer_.sections_;
  if (const BuiltSections::Detail *detail = sections.find_detail(state)) [[unlikely]] {
    extent = extent_of(detail->spec);
    extent.size = state.size;
    return is_valid(*detail, state);
  }
  const Kind &kind = kinds_[state.kind];
  extent = kind.extent;
  extent.size = state.size;
  if (extent.loads != 0 && !classic()) // the name may decide
    extent.loads = loads_of(sections.spec_of(state));
  return kind.valid && is_valid_info(sections.kinds()[state.kind].info, state.info);
}

// Checks sections, and takes down what place_contents needs.
std::optional<Error> ElfLayouter::measure_sections() {
  const u32 count = static_cast<u32>(layout_.order.size());
  extents_.resize(count);
  measure_kinds();
  measured_.resize(count / kMeasured + (count % kMeasured != 0));
  pool_.for_ranges(count, kMeasured, [&](u32 begin, u32 end) {
    const BuiltSections &sections = writer_.sections_;
    const SectionId *order = layout_.order.data();
    SectionExtent *extents = extents_.data();
    MeasuredRange range;
    for (u32 i = begin; i < end; ++i) {
      SectionExtent &extent = extents[i];
      range.valid &= measure(sections[order[i].value], extent);
      range.unusual |= extent.unusual;
      range.bytes.add(i, extent.align, extent.no_data ? 0 : extent.size);
      if (extent.no_data && (extent.loads & (1 << kClassicMemory)) != 0)
        range.memory.add(i, extent.align, extent.size);
    }
    measured_[begin / kMeasured] = range;
  });
  measure_tables();
  std::optional<Error> error;
  if (!std::ranges::all_of(measured_, &MeasuredRange::valid))
    for (u32 i = 0; i < count && !error; ++i)
      error = check_section(layout_.order[i].value);
  return error;
}

// Of sections that the builder fills itself.
void ElfLayouter::measure_tables() {
  const auto set_size = [this](SectionId id, u64 size) {
    const u32 index = layout_.index_of(id);
    if (index == 0)
      return;
    extents_[index - 1].size = size;
    measured_[(index - 1) / kMeasured].unusual = true; // it was measured without
  };
  set_size(writer_.shstrtab(), layout_.shstrtab.size);
  set_size(writer_.strtab(), layout_.strtab.size);
  for (const SectionId id : {writer_.symtab(), writer_.symtab_shndx()})
    set_size(id, u64{layout_.symbol_count} * writer_.kind_of(id).entsize);
}

// Moves the cursor over a section. Returns where it begins.
[[gnu::always_inline]] inline u64 ElfLayouter::place(u32 position, SectionExtent extent,
                                                     u64 &cursor) const {
  if (extent.unusual) [[unlikely]]
    return place_unusual(position, cursor);
  const u64 offset = AlignedRun::aligned(cursor, extent.align);
  cursor = offset + (extent.no_data ? 0 : extent.size);
  return offset;
}

u64 ElfLayouter::place_unusual(u32 position, u64 &cursor) const {
  const SectionExtent &extent = extents_[position];
  const SectionSpec &spec = writer_.kind_of(layout_.order[position]);
  if (spec.shares_bytes_with.valid())
    return kNotPlaced;
  const u64 offset = align_up(cursor, spec.align);
  cursor = offset + (extent.no_data ? 0 : extent.size) + spec.gap_after;
  return offset;
}

// The same for the memory of classic segments.
void ElfLayouter::add_memory(u32 position, u64 &cursor) const {
  const SectionExtent &extent = extents_[position];
  if (!extent.no_data || (extent.loads & (1 << kClassicMemory)) == 0)
    return;
  const SectionSpec *unusual = extent.unusual ? &writer_.kind_of(layout_.order[position]) : nullptr;
  if (!unusual || !unusual->shares_bytes_with.valid())
    cursor = align_up(cursor, unusual ? unusual->align : extent.align) + extent.size;
}

// Finds where each range of kTogether sections starts. Returns the end of the last one.
u64 ElfLayouter::place_ranges(std::vector<u64> &starts) {
  static_assert(kTogether % kMeasured == 0);
  const u32 count = static_cast<u32>(extents_.size());
  u64 cursor = wide() ? sizeof(wire::Ehdr64) : sizeof(wire::Ehdr32), memory = 0;
  for (u32 begin = 0; begin < count; begin += kMeasured) {
    if (begin % kTogether == 0)
      starts.push_back(cursor);
    const MeasuredRange &range = measured_[begin / kMeasured];
    const u32 end = begin + std::min(kMeasured, count - begin);
    for (u32 i = begin; i < (range.unusual ? end : range.bytes.first); ++i)
      (void)place(i, extents_[i], cursor);
    for (u32 i = begin; i < (range.unusual ? end : range.memory.first); ++i)
      add_memory(i, memory);
    if (!range.unusual) {
      cursor = range.bytes.end_behind(cursor);
      memory = range.memory.end_behind(memory);
    }
  }
  if (classic())
    loads_[kClassicMemory].no_data = memory;
  return cursor;
}

// Finds the offset of each section, and the beginning and end of classic segments.
void ElfLayouter::place_sections(std::span<const u64> starts) {
  const u32 count = static_cast<u32>(extents_.size());
  const bool is_classic = classic();
  std::vector<std::vector<LoadedSegment>> ranges(starts.size(), loads_);
  pool_.for_ranges(count, kTogether, [&](u32 begin, u32 end) {
    u64 cursor = starts[begin / kTogether];
    std::vector<LoadedSegment> &own = ranges[begin / kTogether];
    u64 *offsets = layout_.content_offset.data();
    const SectionExtent *extents = extents_.data();
    const auto add = [&](u32 i) {
      if (is_classic && offsets[i] != kNotPlaced)
        for_loads(extents[i], own,
                  [&](LoadedSegment &load) { load.add_bytes(extents[i], offsets[i]); });
    };
    // Of sections of the same segments, the first and the last tell all.
    const auto is_alike = [](const SectionExtent &a, const SectionExtent &b) {
      return a.loads == b.loads && !a.unusual && !b.unusual;
    };
    for (u32 i = begin; i < end; ++i) {
      offsets[i] = place(i, extents[i], cursor);
      if (i != begin && is_alike(extents[i - 1], extents[i])) [[likely]]
        continue;
      if (i != begin)
        add(i - 1);
      add(i);
    }
    add(end - 1);
  });
  for (const std::vector<LoadedSegment> &range : ranges)
    for (size_t i = 0; i < loads_.size(); ++i)
      loads_[i].add_bytes_behind(range[i]);
}

// Sections without bytes of their own.
void ElfLayouter::place_sharing() {
  const u32 count = static_cast<u32>(extents_.size());
  u64 *offsets = layout_.content_offset.data();
  for (u32 range = 0; range < measured_.size(); ++range) {
    if (!measured_[range].unusual)
      continue;
    const u32 begin = range * kMeasured, end = begin + std::min(kMeasured, count - begin);
    for (u32 i = begin; i < end; ++i)
      if (offsets[i] == kNotPlaced) {
        offsets[i] = layout_.offset_of(writer_.kind_of(layout_.order[i]).shares_bytes_with);
        layout_.shares_bytes = true;
      }
  }
}

void ElfLayouter::place_contents() {
  const u32 count = static_cast<u32>(layout_.order.size());
  layout_.content_offset.resize(count);
  std::vector<u64> starts;
  const u64 end = place_ranges(starts);
  place_sections(starts);
  place_sharing();
  const u64 *offsets = layout_.content_offset.data();
  if (!classic()) // counterparts are among the others
    for (u32 i = 0; i < count; ++i)
      for_loads(extents_[i], loads_, [&](LoadedSegment &load) {
        load.add_bytes(extents_[i], offsets[i]);
        load.add_memory(extents_[i], writer_.kind_of(layout_.order[i]).align);
      });
  place_tables(end);
}

void ElfLayouter::place_tables(u64 contents_end) {
  layout_.section_table = compact() ? contents_end : align_up(contents_end, wide() ? 8 : 4);
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

void ElfLayouter::plan_segments() {
  const u64 table = layout_.segment_table;
  const u32 flags = classic() ? kReadExec : kSegmentRead;
  const auto add_table = [&](SegmentType type) {
    layout_.segments.push_back({type, flags, table, 0, 0});
  };
  add_table(SegmentType::Phdr);
  if (!classic())
    add_table(SegmentType::Load);
  for (const LoadedSegment &load : loads_)
    if (load.first)
      layout_.segments.push_back(load.segment());
  if (classic())
    add_table(SegmentType::Load);
}

} // namespace culink::elf
