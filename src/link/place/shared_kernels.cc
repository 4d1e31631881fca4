// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels whose shared memory is placed: those that were selected and those that are live all the
// same. Nearly always each has a section of its own, and then there is nothing to look for.
#include "link/place/shared_kernels.h"

namespace culink {

namespace {

OutId find_section(const Program &p, const Layout &layout, u32 kernel) {
  const OutId id = layout.sections.shared_of[p.calls.functions[kernel].value];
  const bool complete =
      id.valid() && layout.sections[id].has_symbol && layout.sections[id].target.valid();
  return complete ? id : OutId{};
}

} // namespace

SharedKernels list_shared_kernels(const Program &p, const Layout &layout, WorkerPool &pool) {
  constexpr u32 kTogether = 4096;
  struct Range {
    std::vector<FunctionId> kernels;
    bool own_sections = true;
  };
  const u32 functions = static_cast<u32>(p.calls.functions.size());
  SharedKernels out;
  out.section_of.resize(functions);
  out.end.resize(functions);
  const auto comes_later = [&out](FunctionId kernel, FunctionId other) { // its section
    return out.section_of[kernel.value] > out.section_of[other.value];
  };
  std::vector<Range> ranges(functions / kTogether + 1);
  pool.for_ranges(functions, kTogether, [&](u32 begin, u32 end) {
    auto &[kernels, own_sections] = ranges[begin / kTogether];
    for (u32 f = begin; f < end; ++f) {
      out.end[f] = 0;
      out.section_of[f] = {};
      if (!p.live.kernel[f] && (!p.live.demoted[f] || !p.live.live[f]))
        continue;
      out.section_of[f] = find_section(p, layout, f);
      own_sections = own_sections && out.section_of[f].valid() &&
                     (kernels.empty() || comes_later(FunctionId(f), kernels.back()));
      kernels.emplace_back(f);
    }
  });
  for (const auto &[kernels, own_sections] : ranges) {
    out.own_sections =
        out.own_sections && own_sections &&
        (kernels.empty() || out.list.empty() || comes_later(kernels.front(), out.list.back()));
    out.list.insert(out.list.end(), kernels.begin(), kernels.end());
  }
  return out;
}

} // namespace culink
