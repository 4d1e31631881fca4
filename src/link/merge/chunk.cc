// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory for the chunks of a merge: the tables that all of them fill, which are so large that
// threads share the work of clearing them, and the lists of each. What they mean is in chunk.h.
#include "link/merge/chunk.h"

#include <algorithm>

#include "link/merge/merger.h"

namespace culink {

MergeTables::MergeTables(const Program &program, WorkerPool &pool)
    : location_of(program.objects.size()), discarded(program.objects.size()) {
  constexpr u32 kTogether = 1 << 14;
  const u32 entities = static_cast<u32>(program.symbols.entities.size());
  address_of.resize(entities);
  shared_of.resize(entities);
  shared_align.resize(entities);
  listed.resize(entities);
  const u32 functions = static_cast<u32>(program.calls.functions.size());
  constants_of.resize(functions);
  pool.for_ranges(std::max(entities, functions), kTogether, [&](u32 begin, u32 end) {
    for (u32 i = begin; i < std::min(end, functions); ++i)
      constants_of[i] = {};
    end = std::min(end, entities);
    for (u32 i = begin; i < end; ++i) {
      address_of[i] = {};
      shared_of[i] = {};
      shared_align[i] = 1;
      listed[i] = 0;
    }
  });
}

namespace {

// There are more output sections than input sections, because some get companions; but few where
// earlier objects have the same weak definitions, and so name everything first.
size_t guess_sections(const Program &p, u32 begin, u32 end) {
  constexpr size_t kSectionsOfEntity = 8; // hardly any has more
  size_t sections = 0;
  for (u32 i = begin; i < end; ++i)
    sections += p.objects[i].view.sections().size();
  return std::min(sections + sections / 2, count_entities(p, begin, end) * kSectionsOfEntity);
}

} // namespace

size_t count_entities(const Program &p, u32 begin, u32 end) {
  const auto first_of = [&p](u32 object) {
    return object < p.symbols.shares.size() ? p.symbols.shares[object].begin
                                            : p.symbols.entities.size();
  };
  return first_of(end) - first_of(begin);
}

// The lists of the first chunk become those of all, and so does its index of names, unless it is so
// large that clearing it would take one of many threads longer than the chunk does.
void Merger::reserve() {
  constexpr u32 kManyChunks = 4;
  constexpr size_t kNamesOfEntity = 3; // of which most sections take one
  constexpr size_t kOfTable = 4;       // every fourth section has relocations
  const u32 all = static_cast<u32>(p_.objects.size());
  const u32 named = begin_ == 0 && end_ >= all / kManyChunks ? all : end_;
  const size_t sections = guess_sections(p_, begin_, begin_ == 0 ? all : end_);
  layout_.sections.list.reserve(sections);
  layout_.sections.locals.reserve(sections);
  layout_.sections.by_name.reserve(sections);
  layout_.relocs.groups.reserve(sections / kOfTable);
  layout_.relocs.slices.reserve(sections / kOfTable);
  layout_.sections.names.reserve(static_cast<u32>(std::min(
      guess_sections(p_, begin_, named), count_entities(p_, begin_, named) * kNamesOfEntity)));
}

} // namespace culink
