// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The action for every relocation of the inputs. A device link keeps many of them: addresses of
// functions and global variables are known only to the loader. So each one is folded (its value is
// stored), kept or dropped, and this is decided before the layout of the file, because what is kept
// has a size. All values are known here; nothing depends on where a section lies in the file.
//
// Threads read the tables of some output sections each (relocation_reader.cc), or some of the many
// that a section with a part of every object has. Their lists are joined in the order of the
// sections; draft_file and write_image do what they say.
#include "link/relocs/classify_relocs.h"

#include <algorithm>
#include <atomic>

#include <optional>

#include "link/relocs/image_index.h"
#include "link/relocs/relocation_reader.h"
#include "link/relocs/resolved_list.h"

namespace culink {

namespace {

// By OutId, the .rela table of a section; empty where all groups have addends, or none has.
std::vector<OutId> rela_tables(const Layout &layout, WorkerPool &pool) {
  constexpr u32 kTogether = 16384;
  const RelocationGroups &groups = layout.relocs.groups;
  std::atomic<bool> some_have = false, some_have_not = false;
  pool.for_ranges(static_cast<u32>(groups.size()), kTogether, [&](u32 begin, u32 end) {
    const auto with_addends = std::count_if(groups.begin() + begin, groups.begin() + end,
                                            [](const auto &group) { return group.has_addends; });
    if (with_addends != 0)
      some_have.store(true, std::memory_order_relaxed);
    if (with_addends != end - begin)
      some_have_not.store(true, std::memory_order_relaxed);
  });
  if (!some_have || !some_have_not)
    return {};
  std::vector<OutId> out(layout.sections.list.size());
  for (const RelocationGroup &group : groups)
    if (group.has_addends)
      out[group.target.value] = group.table;
  return out;
}

bool is_by_section(const FoldedRelocation &a, const FoldedRelocation &b) {
  return a.section < b.section;
}

// What a thread has found in one go: in some groups, or in some tables of a large one.
struct Part {
  RelocationPlan plan;
  Diagnostics diag;
  bool sorted = true;                     // what is folded
  const RelocationGroup *large = nullptr; // the large one
  u32 newest = 0;                         // and the slice to begin with

  void take(RelocationReader &reader) {
    plan = reader.take();
    sorted = std::ranges::is_sorted(plan.folded, is_by_section);
  }
};

// Debug information is one section, with a table of every object. Such a group is read by several
// threads.
constexpr u32 kSlicesTogether = 32;

class PartReader {
public:
  PartReader(const RelocationContext &context, WorkerPool &pool) : c_(context), pool_(pool) {}

  // All groups, in order.
  [[nodiscard]] std::vector<Part> read() const;

private:
  [[nodiscard]] std::vector<Part> read_groups(u32 begin, u32 end) const;
  // How many entries a group's tables have; nothing if there are many tables.
  [[nodiscard]] std::optional<u64> entries_of(const RelocationGroup &group) const;
  void split(const RelocationGroup &group, std::vector<Part> &out) const;

  const RelocationContext &c_;
  WorkerPool &pool_;
};

std::optional<u64> PartReader::entries_of(const RelocationGroup &group) const {
  const RelocationInputs &inputs = c_.layout.relocs;
  u64 entries = 0;
  u32 slices = 0;
  for (u32 s = group.newest; s != RelocationSlice::kNoSlice; s = inputs.slices[s].previous) {
    const RelocationSlice &slice = inputs.slices[s];
    if (pool_.threads() != 1 && ++slices > kSlicesTogether)
      return std::nullopt;
    entries += slice.entries;
  }
  return entries;
}

void PartReader::split(const RelocationGroup &group, std::vector<Part> &out) const {
  u32 number = 0;
  for (u32 s = group.newest; s != RelocationSlice::kNoSlice;
       s = c_.layout.relocs.slices[s].previous)
    if (number++ % kSlicesTogether == 0) {
      Part &part = out.emplace_back();
      part.large = &group;
      part.newest = s;
    }
}

std::vector<Part> PartReader::read_groups(u32 begin, u32 end) const {
  const RelocationGroups &groups = c_.layout.relocs.groups;
  std::vector<Part> out;
  while (begin < end) {
    u32 next = begin;
    u64 entries = 0;
    for (; next < end; ++next)
      if (const std::optional<u64> more = entries_of(groups[next]))
        entries += *more;
      else
        break;
    Part &part = out.emplace_back();
    RelocationReader reader(c_, part.diag);
    reader.reserve(entries);
    for (; begin < next; ++begin)
      if (!c_.layout.sections[groups[begin].target].discarded())
        reader.read_group(groups[begin]);
    part.take(reader);
    if (begin < end && !c_.layout.sections[groups[begin].target].discarded())
      split(groups[begin], out);
    ++begin;
  }
  return out;
}

std::vector<Part> PartReader::read() const {
  const u32 groups = static_cast<u32>(c_.layout.relocs.groups.size());
  const u32 grain =
      pool_.threads() == 1 ? std::max(groups, 1u) : std::clamp(groups / 128, 8u, 256u);
  std::vector<std::vector<Part>> ranges(groups / grain + 1);
  pool_.for_ranges(groups, grain,
                   [&](u32 begin, u32 end) { ranges[begin / grain] = read_groups(begin, end); });
  std::vector<Part> out;
  for (std::vector<Part> &range : ranges)
    std::ranges::move(range, std::back_inserter(out));
  std::vector<u32> large;
  for (u32 i = 0; i < out.size(); ++i)
    if (out[i].large)
      large.push_back(i);
  pool_.for_each(static_cast<u32>(large.size()), [&](u32 i) {
    Part &part = out[large[i]];
    RelocationReader reader(c_, part.diag);
    reader.read_slices(*part.large, part.newest, kSlicesTogether);
    part.take(reader);
  });
  return out;
}

bool is_sorted(const std::vector<Part> &parts) {
  const FoldedRelocation *last = nullptr;
  for (const Part &part : parts) {
    const FoldedRelocations &folded = part.plan.folded;
    if (folded.empty())
      continue;
    if (!part.sorted || (last && is_by_section(folded.front(), *last)))
      return false;
    last = &folded.back();
  }
  return true;
}

// A single part is taken as it is. Several are copied by several threads, and are set free one by
// one.
template <typename List>
List join(std::vector<Part> &parts, List RelocationPlan::*list, WorkerPool &pool) {
  std::vector<size_t> starts;
  size_t size = 0;
  for (const Part &part : parts) {
    starts.push_back(size);
    size += (part.plan.*list).size();
  }
  for (Part &part : parts)
    if ((part.plan.*list).size() == size)
      return std::move(part.plan.*list);
  List out(size);
  pool.for_each(static_cast<u32>(parts.size()), [&](u32 i) {
    const List more = std::move(parts[i].plan.*list);
    std::copy(more.begin(), more.end(), out.begin() + static_cast<std::ptrdiff_t>(starts[i]));
  });
  return out;
}

} // namespace

// Groups are independent of each other. Each thread takes some and has its own lists, which are
// joined in the order of the groups.
RelocationPlan classify_relocations(const Program &program, const Layout &layout,
                                    const SharedPlan &shared, const ImagePlan &images,
                                    WorkerPool &pool, Diagnostics &diag) {
  const RelocationContext context{program,
                                  layout,
                                  shared,
                                  images,
                                  RelocRules(rule_inputs_of(program)),
                                  rela_tables(layout, pool)};
  std::vector<Part> parts = PartReader(context, pool).read();
  if (!layout.relocs.copied.empty()) {
    Part &part = parts.emplace_back();
    RelocationReader reader(context, part.diag);
    reader.read_copied_constants();
    part.take(reader);
  }
  if (program.policy.lists_resolved) {
    Part &part = parts.emplace_back();
    part.plan.kept = list_resolved(context, part.diag);
  }
  const bool sorted = is_sorted(parts);
  RelocationPlan out{join(parts, &RelocationPlan::kept, pool),
                     join(parts, &RelocationPlan::folded, pool)};
  for (Part &part : parts)
    diag.append(std::move(part.diag));
  if (!sorted)
    std::stable_sort(out.folded.begin(), out.folded.end(), is_by_section);
  if (images.tables.empty() || !program.policy.updates_image_base)
    return out;
  const CodeOf code_of = [&](OutId text) {
    const PieceList &pieces = layout.sections[text].pieces();
    return pieces.size() == 0 ? ByteSpan{} : pieces[0].bytes;
  };
  return index_images(layout, images, code_of, std::move(out));
}

} // namespace culink
