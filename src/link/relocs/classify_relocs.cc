// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The action for every relocation of the inputs. A device link keeps many of them: addresses of
// functions and global variables are known only to the loader. So each one is folded (its value is
// stored), kept or dropped, and this is decided before the layout of the file, because what is kept
// has a size. All values are known here; nothing depends on where a section lies in the file.
//
// Tables of the inputs are put into the order of the output, and threads read some of them each
// (relocation_reader.cc). Their lists are joined in this order; draft_file and write_image do what
// they say.
#include "link/relocs/classify_relocs.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "link/relocs/image_index.h"
#include "link/relocs/relocation_reader.h"
#include "link/relocs/resolved_list.h"

namespace culink {

namespace {

// By OutId, the .rela table of a section.
std::vector<OutId> rela_tables(const Layout &layout) {
  std::vector<OutId> out(layout.sections.size());
  for (const RelocationGroup &group : layout.relocs.groups)
    if (group.has_addends)
      out[group.target.value] = group.table;
  return out;
}

// By group; of each group, those that were read last come first.
std::vector<RelocationSlice> slices_in_output_order(const RelocationInputs &relocs) {
  std::vector<u32> next(relocs.groups.size() + 1); // by group: where its next slice goes
  for (const RelocationSlice &slice : relocs.slices)
    ++next[slice.group + 1];
  std::partial_sum(next.begin(), next.end(), next.begin());
  std::vector<RelocationSlice> out(relocs.slices.size());
  for (size_t i = relocs.slices.size(); i-- > 0;)
    out[next[relocs.slices[i].group]++] = relocs.slices[i];
  return out;
}

// The relocations of some slices.
struct Part {
  RelocationPlan plan;
  Diagnostics diag;
};

std::vector<Part> read_slices(const RelocationContext &context, WorkerPool &pool) {
  constexpr u32 kTogether = 64;
  const std::vector<RelocationSlice> slices = slices_in_output_order(context.layout.relocs);
  std::vector<Part> parts(slices.size() / kTogether + 1);
  pool.for_ranges(static_cast<u32>(slices.size()), kTogether, [&](u32 begin, u32 end) {
    Part &part = parts[begin / kTogether];
    RelocationReader reader(context, part.diag);
    for (u32 i = begin; i < end; ++i)
      reader.read_slice(slices[i]);
    part.plan = reader.take();
  });
  return parts;
}

template <typename List> List join(std::vector<Part> &parts, List RelocationPlan::*list) {
  size_t size = 0;
  for (const Part &part : parts)
    size += (part.plan.*list).size();
  List out;
  out.reserve(size);
  for (Part &part : parts) {
    const List more = std::move(part.plan.*list);
    out.insert(out.end(), more.begin(), more.end());
  }
  return out;
}

} // namespace

RelocationPlan classify_relocations(const Program &program, const Layout &layout,
                                    const SharedPlan &shared, const ImagePlan &images,
                                    WorkerPool &pool, Diagnostics &diag) {
  const RelocationContext context{
      program, layout, shared, images, rule_inputs_of(program), rela_tables(layout)};
  std::vector<Part> parts = read_slices(context, pool);
  if (!layout.relocs.copied.empty()) {
    Part &part = parts.emplace_back();
    RelocationReader reader(context, part.diag);
    reader.read_copied_constants();
    part.plan = reader.take();
  }
  if (program.policy.lists_resolved) {
    Part &part = parts.emplace_back();
    part.plan.kept = list_resolved(context, part.diag);
  }
  RelocationPlan out{join(parts, &RelocationPlan::kept), join(parts, &RelocationPlan::folded)};
  for (Part &part : parts)
    diag.append(std::move(part.diag));
  const auto is_before = [](const FoldedRelocation &a, const FoldedRelocation &b) {
    return a.section < b.section;
  };
  if (!std::ranges::is_sorted(out.folded, is_before))
    std::ranges::stable_sort(out.folded, is_before);
  if (images.tables.empty() || !program.policy.updates_image_base)
    return out;
  const CodeOf code_of = [&](OutId text) { return layout.sections[text].first; };
  return index_images(layout, images, code_of, std::move(out));
}

} // namespace culink
