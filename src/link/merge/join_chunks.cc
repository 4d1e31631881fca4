// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chunks of objects that were merged by themselves become one (chunk.h). First, names: those that
// an earlier chunk has show which assumptions were wrong and which sections are not new. A section
// that is shared by name, .nv.info or .debug_frame, is dropped for that of the first chunk, and so
// are its relocation tables. Then the sections that remain are numbered, and threads copy the lists
// to their place and replace numbers there (copy_chunks.cc). At last, one thread appends the blocks
// of dropped sections to those that remain; each object has a handful of them.
#include <algorithm>

#include "base/bytes.h"
#include "link/merge/chunk_joiner.h"

namespace culink {

std::optional<MergedChunk> ChunkJoiner::run() {
  if (std::any_of(chunks_.begin(), chunks_.end(), [](const auto &one) { return one.refused; }))
    return std::nullopt;
  join_names();
  for_chunks(&ChunkJoiner::inspect);
  if (!std::ranges::all_of(more_, &More::holds) || !drop_groups() || !drop_sections())
    return std::nullopt;
  find_starts();
  number_sections();
  number_dropped();
  make_room();
  copy();
  link_older();
  for (u32 i = 0; i < chunk_count(); ++i) {
    append_lists(i);
    append_blocks(i);
    join_groups(i);
  }
  for_chunks(&ChunkJoiner::finish);
  if (!std::ranges::all_of(more_, &More::holds))
    return std::nullopt;
  return std::move(out_);
}

void ChunkJoiner::join_names() {
  std::vector<StringIndex *> parts;
  for (MergedChunk &chunk : chunks_)
    parts.push_back(&chunk.layout.sections.names);
  StringIndex::Joined joined = StringIndex::join(parts, pool_);
  whole().sections.names = std::move(joined.index);
  for (size_t i = 0; i < chunks_.size(); ++i) {
    more_[i].known_names = std::move(joined.known[i]);
    more_[i].first_name = joined.starts[i];
  }
}

// Numbers the names of a chunk, and checks what it assumes of earlier ones.
void ChunkJoiner::inspect(u32 chunk) {
  const MergedChunk &one = chunks_[chunk];
  More &more = more_[chunk];
  const auto &known = more.known_names;
  more.name_number.start_at(more.first_name, known.empty() ? 0 : known.back().own + 1);
  for (const StringIndex::Joined::Known &name : known)
    more.name_number.set(name.own, name.number);
  const auto is_new = [&](u32 name) { return more.name_number(name) >= more.first_name; };
  for (const u32 name : one.looked_up)
    more.holds &= is_new(name);
  for (const std::string_view name : one.absent)
    if (const std::optional<u32> number = whole().sections.names.find(name))
      more.holds &= *number >= more.first_name;
  for (const EntityId id : one.assumed_listed)
    more.holds &= t_.listed[id.value] != 0;
  if (one.reserved.valid())
    more.holds &= is_new(one.layout.sections[one.reserved].name_number);
  find_oldest_slices(chunk);
}

void ChunkJoiner::find_oldest_slices(u32 chunk) {
  const RelocationInputs &relocs = chunks_[chunk].layout.relocs;
  for (const u32 number : chunks_[chunk].shared_groups) {
    u32 oldest = relocs.groups[number].newest;
    while (oldest != RelocationSlice::kNoSlice &&
           relocs.slices[oldest].previous != RelocationSlice::kNoSlice)
      oldest = relocs.slices[oldest].previous;
    more_[chunk].oldest.push_back(oldest);
  }
}

// Relocation tables of sections that are shared by name. False where more depends on whether a
// table is the first of its section.
bool ChunkJoiner::drop_groups() {
  const bool lists = p_.policy.lists_resolved;
  const bool counts = lists != p_.policy.counts_tables_twice;
  for (u32 i = 0; i < chunks_.size(); ++i)
    for (const u32 number : chunks_[i].shared_groups) {
      const Layout &layout = chunks_[i].layout;
      const RelocationGroup &group = layout.relocs.groups[number];
      const u32 name = more_[i].name_number(layout.sections[group.target].name_number);
      const auto [at, is_new] =
          first_of_.try_emplace({name, group.has_addends}, static_cast<u32>(firsts_.size()));
      if (is_new) {
        firsts_.push_back({i, number});
      } else {
        more_[i].groups.push_back(number);
        more_[i].tables.emplace_back(group.table, at->second);
      }
      if (const bool second = first_of_.contains({name, !group.has_addends});
          (lists && (second || !is_new)) || (counts && second))
        return false;
    }
  return true;
}

// False where sections of one name are neither all shared nor all of their own.
bool ChunkJoiner::drop_sections() {
  for (u32 i = 0; i < chunks_.size(); ++i) {
    std::sort(more_[i].groups.begin(), more_[i].groups.end());
    std::sort(more_[i].tables.begin(), more_[i].tables.end());
    for (const StringIndex::Joined::Known &name : more_[i].known_names)
      drop_named(i, name.own);
    std::sort(more_[i].shared.begin(), more_[i].shared.end());
  }
  std::sort(repeated_names_.begin(), repeated_names_.end());
  return std::none_of(shared_names_.begin(), shared_names_.end(), [this](u32 name) {
    return std::binary_search(repeated_names_.begin(), repeated_names_.end(), name);
  });
}

// Sections of a chunk whose name an earlier chunk has.
void ChunkJoiner::drop_named(u32 chunk, u32 own_name) {
  const MergedChunk &one = chunks_[chunk];
  More &more = more_[chunk];
  const u32 name = more.name_number(own_name);
  for (OutId id = one.layout.sections.by_name[own_name]; id.valid();
       id = one.layout.sections.older(id)) {
    const auto table =
        std::lower_bound(more.tables.begin(), more.tables.end(), std::pair<OutId, u32>(id, 0));
    if (table != more.tables.end() && table->first == id) {
      shared_names_.push_back(name);
      continue;
    }
    if (!one.layout.sections.older(id).valid() &&
        std::binary_search(one.shared.begin(), one.shared.end(), id)) {
      more.shared.emplace_back(id, name);
      shared_names_.push_back(name);
    } else {
      repeated_names_.push_back(name);
    }
  }
}

void ChunkJoiner::find_starts() {
  for (size_t i = 0; i < chunks_.size(); ++i) {
    const Layout &layout = chunks_[i].layout;
    const auto size = [](const auto &list) { return static_cast<u32>(list.size()); };
    const u32 dropped = size(more_[i].shared) + size(more_[i].tables);
    more_[i].start = end_;
    end_.sections += size(layout.sections.list) - dropped;
    end_.locals += size(layout.sections.locals) - dropped; // each has a symbol
    end_.globals += size(layout.sections.globals);
    end_.lists += size(layout.sections.shared_lists);
    end_.constants += size(layout.placement.function_constants);
    end_.groups += size(layout.relocs.groups) - size(more_[i].groups);
    end_.slices += size(layout.relocs.slices);
  }
}

void ChunkJoiner::number_sections() {
  constexpr u64 kFew = 1 << 14; // not worth a thread
  std::vector<u32> end_of_dropped;
  u64 work = 0;
  for (const More &more : more_) {
    u32 end = 0;
    for (const auto &dropped : {std::span(more.shared), std::span(more.tables)}) // ascending
      end = dropped.empty() ? end : std::max(end, dropped.back().first.value + 1);
    work += end;
    end_of_dropped.push_back(end);
  }
  pool_.for_ranges(chunk_count(), work < kFew ? chunk_count() : 1, [&](u32 begin, u32 end) {
    for (u32 i = begin; i < end; ++i) {
      more_[i].number_of.start_at(more_[i].start.sections, end_of_dropped[i]);
      for (const auto &dropped : {std::span(more_[i].shared), std::span(more_[i].tables)})
        for (const auto &[own, unused] : dropped)
          more_[i].number_of.drop(own.value);
      more_[i].number_of.close_gaps();
    }
  });
}

void ChunkJoiner::number_dropped() {
  const auto section_of_name = [this](u32 name) {
    const auto after =
        std::ranges::upper_bound(more_, name, {}, [](const More &more) { return more.first_name; });
    const u32 chunk = static_cast<u32>(after - more_.begin() - 1);
    return final_id(chunk, chunks_[chunk].layout.sections.by_name[name - more_[chunk].first_name]);
  };
  for (More &more : more_) {
    for (const auto &[own, name] : more.shared)
      more.number_of.set(own.value, section_of_name(name).value);
    for (const auto &[own, first] : more.tables) {
      const FirstGroup &group = firsts_[first];
      const OutId table = chunks_[group.chunk].layout.relocs.groups[group.group].table;
      more.number_of.set(own.value, final_id(group.chunk, table).value);
    }
  }
}

// Sections of their own with a name that an earlier chunk has: the newest one is the first of a
// list.
void ChunkJoiner::link_older() {
  for (u32 i = 0; i < chunks_.size() && !repeated_names_.empty(); ++i)
    for (const auto &[own_name, name] : more_[i].known_names) {
      if (!std::binary_search(repeated_names_.begin(), repeated_names_.end(), name))
        continue;
      OutId &newest = whole().sections.by_name[name];
      const OutId first = final_id(i, chunks_[i].layout.sections.by_name[own_name]);
      OutId oldest = first;
      while (whole().sections.older(oldest).valid())
        oldest = whole().sections.older(oldest);
      whole().sections.set_older(oldest, newest);
      newest = first;
    }
}

void ChunkJoiner::append_lists(u32 chunk) {
  MergedChunk &one = chunks_[chunk];
  OutputSections &from = one.layout.sections, &to = whole().sections;
  const auto append = [](auto &list, auto &more) {
    list.insert(list.end(), more.begin(), more.end());
  };
  for (UnifiedIdentity identity : from.unified) {
    identity.section = final_id(chunk, identity.section);
    to.unified.push_back(identity);
  }
  to.has_unified_functions |= from.has_unified_functions;
  to.has_images |= from.has_images;
  for (const OutId id : from.created_again)
    if (!is_dropped_table(chunk, id))
      to.created_again.push_back(final_id(chunk, id));
  for (OutId OutputSections::*id :
       {&OutputSections::tkinfo, &OutputSections::cuinfo, &OutputSections::info,
        &OutputSections::compat, &OutputSections::debug_shared})
    if ((from.*id).valid())
      to.*id = final_id(chunk, from.*id);
  for (UnnamedShared block : one.layout.placement.unnamed_shared) {
    block.section = final_id(chunk, block.section);
    whole().placement.unnamed_shared.push_back(block);
  }
  append(whole().placement.bank_sizes, one.layout.placement.bank_sizes);
  append(whole().placement.user_constant_aligns, one.layout.placement.user_constant_aligns);
  append(out_.overridden, one.overridden);
  out_.has_commons |= one.has_commons;
  for (const MergedChunk::Align &more : one.aligns)
    t_.shared_align[more.variable.value] =
        std::max(t_.shared_align[more.variable.value], more.align);
  to.adopt_memory(from);
}

// What a chunk has for sections of earlier ones, in the order of the objects.
void ChunkJoiner::append_blocks(u32 chunk) {
  const More &more = more_[chunk];
  OutputSections &to = whole().sections;
  for (MergedChunk::Block &block : chunks_[chunk].blocks) {
    const OutId id = final_id(chunk, block.section);
    if (id.value >= more.start.sections)
      continue;
    OutSection &out = to[id];
    block.offset = block.packed ? out.size : align_up(out.size, block.align);
    if (!block.data.empty())
      to.pieces(out).push_back({block.offset, block.data});
    out.size = block.offset + block.size;
    if (block.packed)
      continue;
    out.align = std::max(out.align, block.align);
    if (block.has_target)
      out.target = final_id(chunk, block.target);
  }
  for (const OutId id : chunks_[chunk].always)
    to[final_id(chunk, id)].emit = Emit::Always;
  for (const auto &[own, name] : more.shared) {
    const u32 list = chunks_[chunk].layout.sections[own].shared_list;
    if (list == kNoIndex)
      continue;
    for (const EntityId variable : std::exchange(to.shared_lists[more.start.lists + list], {}))
      to.add_shared_variable(final_id(chunk, own), variable);
  }
}

// Slices of a group that was dropped follow those of the first one.
void ChunkJoiner::join_groups(u32 chunk) {
  const More &more = more_[chunk];
  RelocationInputs &to = whole().relocs;
  for (size_t i = 0; i < chunks_[chunk].shared_groups.size(); ++i) {
    const u32 number = chunks_[chunk].shared_groups[i], oldest = more.oldest[i];
    if (oldest == RelocationSlice::kNoSlice ||
        !std::binary_search(more.groups.begin(), more.groups.end(), number))
      continue;
    const RelocationGroup &own = chunks_[chunk].layout.relocs.groups[number];
    const auto table = std::lower_bound(more.tables.begin(), more.tables.end(),
                                        std::pair<OutId, u32>(own.table, 0));
    const FirstGroup &first = firsts_[table->second];
    RelocationGroup &group = to.groups[group_number(first.chunk, first.group)];
    to.slices[more.start.slices + oldest].previous = group.newest;
    group.newest = more.start.slices + own.newest;
  }
}

std::optional<MergedChunk> join_chunks(const Program &program, MergeTables &tables,
                                       std::vector<MergedChunk> chunks, std::span<const u32> starts,
                                       WorkerPool &pool) {
  return ChunkJoiner(program, tables, std::move(chunks), starts, pool).run();
}

} // namespace culink
