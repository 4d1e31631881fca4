// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The state of joining chunks (chunk.h), private to this room.
#pragma once

#include <map>
#include <utility>

#include "link/merge/chunk.h"
#include "link/merge/renumbering.h"

namespace culink {

class ChunkJoiner {
public:
  ChunkJoiner(const Program &program, MergeTables &tables, std::vector<MergedChunk> chunks,
              std::span<const u32> objects, WorkerPool &pool)
      : p_(program), t_(tables), chunks_(std::move(chunks)), objects_(objects), pool_(pool),
        more_(chunks_.size()) {}

  std::optional<MergedChunk> run();

private:
  // Where the lists of a chunk start in those of all.
  struct Starts {
    u32 sections = 0, locals = 0, globals = 0, lists = 0, constants = 0, groups = 0, slices = 0;
  };
  // Of a chunk, beside what it says itself.
  struct More {
    std::vector<StringIndex::Joined::Known> known_names;
    std::vector<std::pair<OutId, u32>> shared; // dropped for the section of a name
    std::vector<std::pair<OutId, u32>> tables; // dropped for the table of a group (in firsts_)
    std::vector<u32> groups;                   // dropped, ascending
    std::vector<u32> oldest;                   // of each of shared_groups: its oldest slice
    Renumbering name_number, number_of;        // by its own numbers of names and sections
    Starts start;
    u32 first_name = 0; // the number that its first name has in the whole
    bool holds = true;  // all that it assumes
  };
  // The first group of a shared section and kind.
  struct FirstGroup {
    u32 chunk = 0;
    u32 group = 0;
  };

  // join_chunks.cc
  void join_names();
  void inspect(u32 chunk);
  void find_oldest_slices(u32 chunk);
  bool drop_groups();
  bool drop_sections();
  void drop_named(u32 chunk, u32 own_name);
  void find_starts();
  void number_sections();
  void number_dropped();
  void link_older();
  void append_lists(u32 chunk);
  void append_blocks(u32 chunk);
  void join_groups(u32 chunk);

  // copy_chunks.cc
  // A step that threads do for a range of what a chunk has.
  struct Task {
    void (ChunkJoiner::*step)(u32 chunk, u32 begin, u32 end);
    u32 chunk, begin, end;
  };
  void make_room();
  void copy();
  [[nodiscard]] std::vector<Task> list_tasks() const;
  void copy_locals(u32 chunk, u32 begin, u32 end);
  void copy_lists(u32 chunk, u32 begin, u32 end);
  void copy_groups(u32 chunk, u32 begin, u32 end);
  void copy_slices(u32 chunk, u32 begin, u32 end);
  void copy_names(u32 chunk, u32 begin, u32 end);
  void copy_sections(u32 chunk, u32 begin, u32 end);
  void renumber_locations(u32 chunk, u32 begin, u32 end);
  void renumber_addresses(u32 chunk, u32 begin, u32 end);
  void renumber_shared(u32 chunk, u32 begin, u32 end);
  void finish(u32 chunk);

  [[nodiscard]] OutId final_id(u32 chunk, OutId own) const {
    return own.valid() ? OutId(more_[chunk].number_of(own.value)) : own;
  }
  [[nodiscard]] bool is_dropped(u32 chunk, OutId own) const {
    return more_[chunk].number_of(own.value) < more_[chunk].start.sections;
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
  [[nodiscard]] u32 chunk_count() const { return static_cast<u32>(chunks_.size()); }
  [[nodiscard]] Layout &whole() { return out_.layout; }
  void for_chunks(void (ChunkJoiner::*step)(u32)) {
    pool_.for_each(chunk_count(), [&](u32 chunk) { (this->*step)(chunk); });
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

} // namespace culink
