// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The lists of all chunks in one place, with their final numbers. Threads share the work by ranges,
// because there may be as few chunks as threads, and the first one has nothing to do: its numbers
// are final, and its lists become those of all if there is room for the others behind them.
#include <algorithm>

#include "base/touch_pages.h"
#include "link/merge/chunk_joiner.h"

namespace culink {

void ChunkJoiner::make_room() {
  constexpr u32 kMore = 1024; // of what later passes create
  FirstTouch memory;
  const auto make = [&](auto &to, auto &first, u64 count) {
    if (first.capacity() >= count + kMore)
      to = std::move(first);
    else
      to.reserve(count + count / 8 + kMore);
    const size_t in_place = to.size();
    to.resize(count);
    memory.add(to.data() + in_place, to.data() + count);
  };
  OutputSections &to = whole().sections, &first = chunks_[0].layout.sections;
  RelocationInputs &relocs = whole().relocs, &first_relocs = chunks_[0].layout.relocs;
  make(to.list, first.list, end_.sections);
  make(to.locals, first.locals, end_.locals);
  make(to.by_name, first.by_name, to.names.size());
  make(relocs.groups, first_relocs.groups, end_.groups);
  make(relocs.slices, first_relocs.slices, end_.slices);
  memory.run(pool_);
  to.globals.resize(end_.globals);
  to.shared_lists.resize(end_.lists);
  whole().placement.function_constants.resize(end_.constants);
  if (std::ranges::any_of(chunks_, [](const MergedChunk &chunk) {
        return !chunk.layout.sections.older_of.empty();
      }))
    to.older_of.resize(end_.sections);
}

void ChunkJoiner::copy() {
  const std::vector<Task> tasks = list_tasks();
  pool_.for_each(static_cast<u32>(tasks.size()), [&](u32 i) {
    const Task &task = tasks[i];
    (this->*task.step)(task.chunk, task.begin, task.end);
  });
}

// First what is not divided into ranges.
std::vector<ChunkJoiner::Task> ChunkJoiner::list_tasks() const {
  constexpr u32 kTogether = 1 << 13, kObjects = 16;
  std::vector<Task> tasks;
  const auto add = [&](auto step, u32 chunk, size_t size, u32 grain) {
    const u32 count = static_cast<u32>(size);
    for (u32 begin = 0, end = 0; begin < count; begin = end) {
      end = begin + std::min(grain, count - begin);
      tasks.push_back({step, chunk, begin, end});
    }
  };
  const auto add_all = [&](auto step, u32 chunk, size_t size) {
    add(step, chunk, size, static_cast<u32>(size));
  };
  for (u32 i = 0; i < chunk_count(); ++i) {
    add_all(&ChunkJoiner::copy_locals, i, chunks_[i].layout.sections.locals.size());
    add_all(&ChunkJoiner::copy_groups, i, chunks_[i].layout.relocs.groups.size());
    add_all(&ChunkJoiner::copy_lists, i, 1);
  }
  for (u32 i = 0; i < chunk_count(); ++i) {
    add(&ChunkJoiner::copy_sections, i, chunks_[i].layout.sections.list.size(), kTogether);
    add(&ChunkJoiner::copy_slices, i, chunks_[i].layout.relocs.slices.size(), kTogether);
    add(&ChunkJoiner::copy_names, i, chunks_[i].layout.sections.by_name.size(), kTogether);
  }
  for (u32 i = 1; i < chunk_count(); ++i) { // the numbers of the first one are final
    add(&ChunkJoiner::renumber_locations, i, objects_[i + 1] - objects_[i], kObjects);
    add(&ChunkJoiner::renumber_addresses, i, chunks_[i].addressed.size(), kTogether);
    add(&ChunkJoiner::renumber_shared, i, chunks_[i].with_shared.size(), kTogether);
  }
  return tasks;
}

void ChunkJoiner::copy_locals(u32 chunk, u32, u32) {
  LocalSymbol *to = whole().sections.locals.data() + more_[chunk].start.locals;
  for (const LocalSymbol &symbol : chunks_[chunk].layout.sections.locals) {
    u32 id = symbol.id;
    if (symbol.kind == LocalSymbol::Kind::Section) {
      id = more_[chunk].number_of(id);
      if (id < more_[chunk].start.sections)
        continue;
    }
    to->kind = symbol.kind;
    to->id = id;
    ++to;
  }
}

// Lists that are short, or copied as they are.
void ChunkJoiner::copy_lists(u32 chunk, u32, u32) {
  const Starts &start = more_[chunk].start;
  OutputSections &from = chunks_[chunk].layout.sections, &to = whole().sections;
  std::ranges::copy(from.globals, to.globals.begin() + start.globals);
  std::ranges::move(from.shared_lists, to.shared_lists.begin() + start.lists);
  std::ranges::move(chunks_[chunk].layout.placement.function_constants,
                    whole().placement.function_constants.begin() + start.constants);
  for (u32 i = 0; i < from.older_of.size(); ++i)
    if (from.older_of[i].valid() && !is_dropped(chunk, OutId(i)))
      to.older_of[final_id(chunk, OutId(i)).value] = final_id(chunk, from.older_of[i]);
}

void ChunkJoiner::copy_sections(u32 chunk, u32 begin, u32 end) {
  const More &more = more_[chunk];
  const OutputSections &from = chunks_[chunk].layout.sections;
  for (u32 i = begin; i < end; ++i) {
    if (is_dropped(chunk, OutId(i)))
      continue;
    OutSection &section = whole().sections.list[more.number_of(i)];
    section = from.list[i];
    section.target = final_id(chunk, from.list[i].target);
    section.records = final_id(chunk, from.list[i].records);
    section.name_number = more.name_number(from.list[i].name_number);
    if (from.list[i].shared_list != kNoIndex)
      section.shared_list = from.list[i].shared_list + more.start.lists;
  }
}

void ChunkJoiner::copy_names(u32 chunk, u32 begin, u32 end) {
  const OutputSections &from = chunks_[chunk].layout.sections;
  OutId *to = whole().sections.by_name.data() + more_[chunk].first_name;
  for (u32 i = begin; i < end; ++i)
    to[i] = final_id(chunk, from.by_name[i]);
}

void ChunkJoiner::copy_groups(u32 chunk, u32, u32) {
  const More &more = more_[chunk];
  RelocationGroup *to = whole().relocs.groups.data() + more.start.groups;
  const RelocationGroups &from = chunks_[chunk].layout.relocs.groups;
  auto dropped = more.groups.begin();
  for (u32 i = 0; i < from.size(); ++i) {
    if (dropped != more.groups.end() && *dropped == i) {
      ++dropped;
      continue;
    }
    const RelocationGroup &group = from[i];
    to->table = final_id(chunk, group.table);
    to->target = final_id(chunk, group.target);
    to->has_addends = group.has_addends;
    to->newest = group.newest + (group.newest == RelocationSlice::kNoSlice ? 0 : more.start.slices);
    ++to;
  }
}

void ChunkJoiner::copy_slices(u32 chunk, u32 begin, u32 end) {
  const u32 start = more_[chunk].start.slices;
  const RelocationSlices &from = chunks_[chunk].layout.relocs.slices;
  RelocationSlice *to = whole().relocs.slices.data() + start;
  for (u32 i = begin; i < end; ++i) {
    to[i] = from[i];
    if (from[i].previous != RelocationSlice::kNoSlice)
      to[i].previous = from[i].previous + start;
  }
}

void ChunkJoiner::renumber_locations(u32 chunk, u32 begin, u32 end) {
  const u32 constants = more_[chunk].start.constants;
  for (u32 i = objects_[chunk] + begin; i < objects_[chunk] + end; ++i)
    for (SectionLocation &at : t_.location_of[i]) {
      at.section = final_id(chunk, at.section);
      at.constants += at.constants == kNoIndex ? 0 : constants;
    }
}

void ChunkJoiner::renumber_addresses(u32 chunk, u32 begin, u32 end) {
  const u32 constants = more_[chunk].start.constants;
  for (u32 i = begin; i < end; ++i) {
    SymbolAddress &at = t_.address_of[chunks_[chunk].addressed[i].value];
    at.section = final_id(chunk, at.section);
    at.constants += at.constants == kNoIndex ? 0 : constants;
  }
}

void ChunkJoiner::renumber_shared(u32 chunk, u32 begin, u32 end) {
  for (u32 i = begin; i < end; ++i) {
    OutId &section = t_.shared_of[chunks_[chunk].with_shared[i].value];
    section = final_id(chunk, section);
  }
}

// Places blocks that have moved, and what is in them. Then nothing of the chunk is needed any more.
void ChunkJoiner::finish(u32 chunk) {
  MergedChunk &one = chunks_[chunk];
  const auto location = [this](SectionRef at) -> SectionLocation & {
    return t_.location_of[at.object.value][at.section];
  };
  for (const MergedChunk::Block &block : one.blocks)
    if (is_dropped(chunk, block.section))
      location(block.from).offset = block.offset;
  if (chunk != 0)
    for (const u32 number : one.shared_groups)
      for (u32 i = one.layout.relocs.groups[number].newest; i != RelocationSlice::kNoSlice;
           i = one.layout.relocs.slices[i].previous) {
        RelocationSlice &slice = whole().relocs.slices[more_[chunk].start.slices + i];
        const u32 target = p_.objects[slice.object.value].section(slice.section).info;
        slice.base = location({slice.object, target}).offset;
      }
  if (chunk != 0)
    for (const MergedChunk::InBlock &in : one.in_blocks)
      t_.address_of[in.entity.value].value =
          p_.objects[in.from.object.value].symbols[in.symbol].value + location(in.from).offset;
  for (const SectionRef &shifted : one.shifted)
    more_[chunk].holds &= location(shifted).offset != 0;
  one = {};
}

} // namespace culink
