// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where contents lie in the file, and the segments that are loaded. The end of a section is where
// the next one begins, so one thread has to walk over all of them. It adds up what others have
// measured, in the order of memory, and nothing else; what follows from the offsets is done by all
// threads.
#include "elf/elf_layouter.h"

#include "base/bytes.h"
#include "elf/wire.h"

namespace culink::elf {

namespace {

template <typename Use>
void for_loads(const SectionExtent &extent, std::vector<LoadedSegment> &loads, Use use) {
  for (u32 i = 0, held = extent.loads; held != 0; ++i, held >>= 1)
    if ((held & 1) != 0)
      use(loads[i]);
}

} // namespace

void ElfLayouter::place_contents() {
  const u32 count = static_cast<u32>(layout_.order.size());
  RawVector<u64> offsets(count);  // by position in the file
  std::vector<SectionId> sharing; // sections without bytes of their own
  u64 cursor = wide() ? sizeof(wire::Ehdr64) : sizeof(wire::Ehdr32);
  for (u32 i = 0; i < count; ++i) {
    const SectionExtent &extent = extents_[i];
    u64 align = extent.align, gap = 0;
    offsets[i] = kNotPlaced;
    if (extent.unusual) {
      const SectionSpec &spec = writer_.section(layout_.order[i]);
      align = spec.align;
      gap = spec.gap_after;
      if (spec.shares_bytes_with.valid()) {
        sharing.push_back(layout_.order[i]);
        continue;
      }
    }
    offsets[i] = cursor = align_up(cursor, align);
    cursor += (extent.no_data ? 0 : extent.size) + gap;
    if (extent.no_data && classic())
      for_loads(extent, loads_, [&](LoadedSegment &load) { load.add_memory(extent, align); });
  }
  place_sections(offsets);
  for (const SectionId id : sharing)
    layout_.section_offset[id.value] =
        layout_.section_offset[writer_.section(id).shares_bytes_with.value];
  if (!classic()) // counterparts are among the others
    for (u32 i = 0; i < count; ++i)
      for_loads(extents_[i], loads_, [&](LoadedSegment &load) {
        load.add_bytes(extents_[i], layout_.offset_of(layout_.order[i]));
        load.add_memory(extents_[i], writer_.section(layout_.order[i]).align);
      });
  place_tables(cursor);
}

// Gives sections their offsets, and finds the beginning and end of classic segments.
void ElfLayouter::place_sections(const RawVector<u64> &offsets) {
  const u32 count = static_cast<u32>(offsets.size());
  const std::vector<LoadedSegment> none = classic() ? classic_loads() : mercury_loads();
  std::vector<std::vector<LoadedSegment>> ranges(count / kTogether + 1, none);
  pool_.for_ranges(count, kTogether, [&](u32 begin, u32 end) {
    std::vector<LoadedSegment> &own = ranges[begin / kTogether];
    for (u32 i = begin; i < end; ++i) {
      if (offsets[i] == kNotPlaced)
        continue;
      layout_.section_offset[layout_.order[i].value] = offsets[i];
      if (classic())
        for_loads(extents_[i], own,
                  [&](LoadedSegment &load) { load.add_bytes(extents_[i], offsets[i]); });
    }
  });
  for (const std::vector<LoadedSegment> &range : ranges)
    for (size_t i = 0; i < loads_.size(); ++i)
      loads_[i].add_bytes_behind(range[i]);
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

u8 ElfLayouter::loads_of(const SectionSpec &spec) const {
  u32 out = 0;
  for (u32 i = 0; i < loads_.size(); ++i)
    out |= loads_[i].holds(spec) ? 1u << i : 0;
  return static_cast<u8>(out);
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
