// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Chunks of objects that were merged by themselves become one (chunk.h). First, names: those that
// an earlier chunk has show which assumptions were wrong and which sections are not new. A section
// that is shared by name, .nv.info or .debug_frame, is dropped for that of the first chunk, and so
// are its relocation tables. Then the sections that remain are numbered, and threads copy each
// chunk's lists to their place and replace its numbers there. At last, one thread appends the
// blocks of dropped sections to those that remain; each object has a handful of them.
#include "link/merge/chunk.h"

#include <algorithm>
#include <map>

#include "base/bytes.h"
#include "link/emulate/section_numbers.h"

namespace culink {

namespace {

// Where the lists of a chunk start in those of all.
struct Starts {
  u32 sections = 0, locals = 0, globals = 0, lists = 0, constants = 0, groups = 0, slices = 0;
};

class ChunkJoiner {
public:
  ChunkJoiner(const Program &program, MergeTables &tables, std::vector<MergedChunk> chunks,
              std::span<const u32> objects, WorkerPool &pool)
      : p_(program), t_(tables), chunks_(std::move(chunks)), objects_(objects), pool_(pool),
        more_(chunks_.size()) {}

  std::optional<MergedChunk> run();

private:
  // Of a chunk, beside what it says itself.
  struct More {
    std::vector<u32> known_names;              // its own numbers: an earlier chunk has them
    std::vector<u32> name_number;              // by its own number
    std::vector<std::pair<OutId, u32>> shared; // dropped for the section of a name
    std::vector<std::pair<OutId, u32>> tables; // dropped for the table of a group (in firsts_)
    std::vector<u32> groups;                   // dropped, ascending
    std::vector<OutId> number_of;              // by its own OutId
    Starts start;
    u32 sections = 0; // that it has
    u32 first_new_name = 0;
    bool holds = true; // all that it assumes
  };
  // The first group of a shared section and kind.
  struct FirstGroup {
    u32 chunk = 0;
    u32 group = 0;
  };

  void join_names();
  void check_assumptions(u32 chunk);
  bool drop_groups();
  bool drop_sections();
  void drop_named(u32 chunk, u32 own_name);
  void find_starts();
  void number_sections(u32 chunk);
  void number_dropped();
  void link_older();
  void make_room();
  void copy(u32 chunk);
  void copy_sections(u32 chunk);
  void copy_relocations(u32 chunk);
  void renumber_tables(u32 chunk);
  void append_lists(u32 chunk);
  void append_blocks(u32 chunk);
  void join_groups(u32 chunk);
  void finish(u32 chunk);
  [[nodiscard]] bool is_dropped(const More &more, OutId own) const {
    return more.number_of[own.value].value < more.start.sections;
  }
  [[nodiscard]] OutId final_id(u32 chunk, OutId own) const {
    return own.valid() ? more_[chunk].number_of[own.value] : own;
  }
  [[nodiscard]] bool is_dropped_table(u32 chunk, OutId own) const {
    const auto &tables = more_[chunk].tables;
    const auto at = std::lower_bound(tables.begin(), tables.end(), std::pair<OutId, u32>(own, 0));
    return at != tables.end() && at->first == own;
  }
  [[nodiscard]] u32 group_number(u32 chunk, u32 own) const {
    const std::vector<u32> &dropped = more_[chunk].groups;
    const auto before = std::lower_bound(dropped.begin(), dropped.end(), own) - dropped.begin();
    return more_[chunk].start.groups + own - static_cast<u32>(before);
  }
  [[nodiscard]] Layout &whole() { return out_.layout; }
  void for_chunks(void (ChunkJoiner::*step)(u32)) {
    pool_.for_each(static_cast<u32>(chunks_.size()), [&](u32 chunk) { (this->*step)(chunk); });
  }

  const Program &p_;
  MergeTables &t_;
  std::vector<MergedChunk> chunks_;
  std::span<const u32> objects_; // by chunk: its first; and the end
  WorkerPool &pool_;
  std::vector<More> more_;
  std::map<std::pair<u32, bool>, u32> first_of_; // by number of name and has_addends: in firsts_
  std::vector<FirstGroup> firsts_;
  std::vector<u32> repeated_names_, shared_names_; // that several chunks have: of several or one
  Starts end_;
  MergedChunk out_;
};

std::optional<MergedChunk> ChunkJoiner::run() {
  if (std::any_of(chunks_.begin(), chunks_.end(), [](const auto &one) { return one.refused; }))
    return std::nullopt;
  join_names();
  for_chunks(&ChunkJoiner::check_assumptions);
  if (!std::ranges::all_of(more_, &More::holds) || !drop_groups() || !drop_sections())
    return std::nullopt;
  find_starts();
  make_room();
  for_chunks(&ChunkJoiner::number_sections);
  number_dropped();
  for_chunks(&ChunkJoiner::copy);
  link_older();
  for (u32 i = 0; i < chunks_.size(); ++i) {
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
  std::vector<const StringIndex *> parts;
  for (const MergedChunk &chunk : chunks_)
    parts.push_back(&chunk.layout.sections.names);
  StringIndex::Joined joined = StringIndex::join(parts, pool_);
  whole().sections.names = std::move(joined.index);
  for (size_t i = 0; i < chunks_.size(); ++i) {
    more_[i].known_names = std::move(joined.known[i]);
    more_[i].name_number = std::move(joined.numbers[i]);
    more_[i].first_new_name = joined.first_new[i];
  }
}

void ChunkJoiner::check_assumptions(u32 chunk) {
  const MergedChunk &one = chunks_[chunk];
  More &more = more_[chunk];
  for (const u32 name : one.looked_up)
    more.holds &= more.name_number[name] >= more.first_new_name;
  for (const std::string_view name : one.absent)
    if (const std::optional<u32> number = whole().sections.names.find(name))
      more.holds &= *number >= more.first_new_name;
  for (const EntityId id : one.assumed_listed)
    more.holds &= t_.listed[id.value] != 0;
  if (one.reserved.valid())
    more.holds &=
        more.name_number[one.layout.sections[one.reserved].name_number] >= more.first_new_name;
}

// Relocation tables of sections that are shared by name. False where more depends on whether a
// table is the first of its section.
bool ChunkJoiner::drop_groups() {
  const bool lists = p_.policy.lists_resolved;
  const bool counts =
      emulate::counts_table_twice(p_, false) != emulate::counts_table_twice(p_, true);
  for (u32 i = 0; i < chunks_.size(); ++i)
    for (const u32 number : chunks_[i].shared_groups) {
      const Layout &layout = chunks_[i].layout;
      const RelocationGroup &group = layout.relocs.groups[number];
      const u32 name = more_[i].name_number[layout.sections[group.target].name_number];
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
    for (const u32 name : more_[i].known_names)
      drop_named(i, name);
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
  const u32 name = more.name_number[own_name];
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
    more_[i].sections = size(layout.sections.list);
    end_.sections += size(layout.sections.list) - dropped;
    end_.locals += size(layout.sections.locals) - dropped; // each has a symbol
    end_.globals += size(layout.sections.globals);
    end_.lists += size(layout.sections.shared_lists);
    end_.constants += size(layout.placement.function_constants);
    end_.groups += size(layout.relocs.groups) - size(more_[i].groups);
    end_.slices += size(layout.relocs.slices);
  }
}

// The sections of the first chunk stay where they are if the others fit behind them.
void ChunkJoiner::make_room() {
  OutputSections &sections = whole().sections;
  constexpr u32 kMore = 1024; // sections that later passes create
  const size_t room = end_.sections + end_.sections / 8 + kMore;
  if (auto &first = chunks_[0].layout.sections.list; first.capacity() >= room)
    sections.list = std::move(first);
  sections.list.reserve(room);
  sections.list.resize(end_.sections);
  for (const MergedChunk &chunk : chunks_)
    if (!chunk.layout.sections.older_of.empty())
      sections.older_of.resize(end_.sections);
  sections.locals.reserve(end_.locals + end_.locals / 8 + kMore);
  sections.locals.resize(end_.locals);
  sections.globals.resize(end_.globals);
  sections.shared_lists.resize(end_.lists);
  sections.by_name.reserve(sections.names.size() + sections.names.size() / 8 + kMore);
  sections.by_name.resize(sections.names.size());
  whole().placement.function_constants.resize(end_.constants);
  whole().relocs.groups.resize(end_.groups);
  whole().relocs.slices.resize(end_.slices);
}

// Sections that remain, and the names that are new with them.
void ChunkJoiner::number_sections(u32 chunk) {
  const OutputSections &from = chunks_[chunk].layout.sections;
  More &more = more_[chunk];
  more.number_of.assign(more.sections, OutId(0));
  for (const auto &dropped : {std::span(more.shared), std::span(more.tables)})
    for (const auto &[own, unused] : dropped)
      more.number_of[own.value] = OutId{};
  u32 next = more.start.sections;
  for (OutId &number : more.number_of)
    if (number.valid())
      number = OutId(next++);
  for (u32 i = 0; i < from.by_name.size(); ++i)
    if (more.name_number[i] >= more.first_new_name)
      whole().sections.by_name[more.name_number[i]] = more.number_of[from.by_name[i].value];
}

void ChunkJoiner::number_dropped() {
  for (More &more : more_) {
    for (const auto &[own, name] : more.shared)
      more.number_of[own.value] = whole().sections.by_name[name];
    for (const auto &[own, first] : more.tables) {
      const FirstGroup &group = firsts_[first];
      const OutId table = chunks_[group.chunk].layout.relocs.groups[group.group].table;
      more.number_of[own.value] = more_[group.chunk].number_of[table.value];
    }
  }
}

void ChunkJoiner::copy(u32 chunk) {
  copy_sections(chunk);
  copy_relocations(chunk);
  renumber_tables(chunk);
  std::vector<FunctionConstants> &constants = chunks_[chunk].layout.placement.function_constants;
  std::move(constants.begin(), constants.end(),
            whole().placement.function_constants.begin() + more_[chunk].start.constants);
}

void ChunkJoiner::copy_sections(u32 chunk) {
  const More &more = more_[chunk];
  OutputSections &from = chunks_[chunk].layout.sections, &to = whole().sections;
  for (u32 i = 0; i < from.list.size(); ++i) { // none: they are in their place
    if (is_dropped(more, OutId(i)))
      continue;
    OutSection section = from.list[i];
    section.target = final_id(chunk, section.target);
    section.records = final_id(chunk, section.records);
    section.name_number = more.name_number[section.name_number];
    if (section.shared_list != kNoIndex)
      section.shared_list += more.start.lists;
    to[more.number_of[i]] = section;
  }
  for (u32 i = 0; i < from.older_of.size(); ++i)
    if (from.older_of[i].valid() && !is_dropped(more, OutId(i)))
      to.older_of[more.number_of[i].value] = final_id(chunk, from.older_of[i]);
  u32 next = more.start.locals;
  for (LocalSymbol symbol : from.locals) {
    if (symbol.kind == LocalSymbol::Kind::Section) {
      if (is_dropped(more, OutId(symbol.id)))
        continue;
      symbol.id = more.number_of[symbol.id].value;
    }
    to.locals[next++] = symbol;
  }
  std::copy(from.globals.begin(), from.globals.end(), to.globals.begin() + more.start.globals);
  std::move(from.shared_lists.begin(), from.shared_lists.end(),
            to.shared_lists.begin() + more.start.lists);
}

void ChunkJoiner::copy_relocations(u32 chunk) {
  const More &more = more_[chunk];
  const RelocationInputs &from = chunks_[chunk].layout.relocs;
  RelocationInputs &to = whole().relocs;
  u32 next = more.start.groups;
  for (u32 i = 0; i < from.groups.size(); ++i) {
    if (std::binary_search(more.groups.begin(), more.groups.end(), i))
      continue;
    RelocationGroup group = from.groups[i];
    group.table = final_id(chunk, group.table);
    group.target = final_id(chunk, group.target);
    group.newest += group.newest == RelocationSlice::kNoSlice ? 0 : more.start.slices;
    to.groups[next++] = group;
  }
  for (u32 i = 0; i < from.slices.size(); ++i) {
    RelocationSlice slice = from.slices[i];
    slice.previous += slice.previous == RelocationSlice::kNoSlice ? 0 : more.start.slices;
    to.slices[more.start.slices + i] = slice;
  }
}

void ChunkJoiner::renumber_tables(u32 chunk) {
  const u32 constants = more_[chunk].start.constants;
  const auto renumber = [&](auto &place) {
    place.section = final_id(chunk, place.section);
    place.constants += place.constants == kNoIndex ? 0 : constants;
  };
  for (u32 i = objects_[chunk]; i < objects_[chunk + 1]; ++i)
    for (SectionLocation &at : t_.location_of[i])
      renumber(at);
  for (const EntityId id : chunks_[chunk].addressed)
    renumber(t_.address_of[id.value]);
  for (const EntityId id : chunks_[chunk].with_shared)
    t_.shared_of[id.value] = final_id(chunk, t_.shared_of[id.value]);
}

// Sections of their own with a name that an earlier chunk has: the newest one is the first of a
// list.
void ChunkJoiner::link_older() {
  for (u32 i = 0; i < chunks_.size() && !repeated_names_.empty(); ++i)
    for (const u32 own_name : more_[i].known_names) {
      const u32 name = more_[i].name_number[own_name];
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
  for (const MergedChunk::Block &block : chunks_[chunk].blocks) {
    SectionLocation &at = t_.location_of[block.from.object.value][block.from.section];
    if (at.section.value >= more.start.sections)
      continue;
    const InputObject &object = p_.objects[block.from.object.value];
    const elf::Section &section = object.section(block.from.section);
    OutSection &out = to[at.section];
    at.offset = block.packed ? out.size : align_up(out.size, section.align);
    if (!section.no_data() && section.size != 0)
      to.pieces(out).push_back({at.offset, section.data});
    out.size = at.offset + section.size;
    if (block.packed)
      continue;
    out.align = std::max(out.align, section.align);
    if (const u32 owner = object.owner_of(block.from.section); owner != 0)
      out.target = t_.location_of[block.from.object.value][owner].section;
  }
  for (const OutId id : chunks_[chunk].always)
    to[final_id(chunk, id)].emit = Emit::Always;
  for (const auto &[own, name] : more.shared) {
    const u32 list = chunks_[chunk].layout.sections[own].shared_list;
    if (list == kNoIndex)
      continue;
    for (const EntityId variable : std::exchange(to.shared_lists[more.start.lists + list], {}))
      to.add_shared_variable(more.number_of[own.value], variable);
  }
}

// Slices of sections that are shared by name: of a group that was dropped, they follow those of the
// first one.
void ChunkJoiner::join_groups(u32 chunk) {
  const More &more = more_[chunk];
  RelocationInputs &to = whole().relocs;
  for (const u32 number : chunks_[chunk].shared_groups) {
    const RelocationGroup &own = chunks_[chunk].layout.relocs.groups[number];
    u32 oldest = RelocationSlice::kNoSlice;
    for (u32 i = own.newest; i != RelocationSlice::kNoSlice;
         i = chunks_[chunk].layout.relocs.slices[i].previous) {
      oldest = more.start.slices + i;
      RelocationSlice &slice = to.slices[oldest];
      const u32 target = p_.objects[slice.object.value].section(slice.section).info;
      slice.base = t_.location_of[slice.object.value][target].offset;
    }
    if (oldest == RelocationSlice::kNoSlice ||
        !std::binary_search(more.groups.begin(), more.groups.end(), number))
      continue;
    const auto table = std::lower_bound(more.tables.begin(), more.tables.end(),
                                        std::pair<OutId, u32>(own.table, 0));
    const FirstGroup &first = firsts_[table->second];
    RelocationGroup &group = to.groups[group_number(first.chunk, first.group)];
    to.slices[oldest].previous = group.newest;
    group.newest = more.start.slices + own.newest;
  }
}

// Places the definitions in blocks, which have moved. Then nothing of the chunk is needed any more.
void ChunkJoiner::finish(u32 chunk) {
  for (const MergedChunk::InBlock &one : chunks_[chunk].in_blocks) {
    const InputObject &object = p_.objects[one.from.object.value];
    t_.address_of[one.entity.value].value =
        object.symbols[one.symbol].value +
        t_.location_of[one.from.object.value][one.from.section].offset;
  }
  for (const SectionRef &one : chunks_[chunk].shifted)
    more_[chunk].holds &= t_.location_of[one.object.value][one.section].offset != 0;
  chunks_[chunk] = {};
}

} // namespace

std::optional<MergedChunk> join_chunks(const Program &program, MergeTables &tables,
                                       std::vector<MergedChunk> chunks, std::span<const u32> starts,
                                       WorkerPool &pool) {
  return ChunkJoiner(program, tables, std::move(chunks), starts, pool).run();
}

} // namespace culink
