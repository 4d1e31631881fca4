// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A page of numbers about one link. Times are of the clock; where several threads worked, the
// processor's time is larger. Rows of compilers are parts of the steps that call them, and sums
// where several are called at once.
#include "inspect/report/stats.h"

#include <algorithm>

#include <fmt/format.h>

namespace culink {

std::string stats_text(const LinkResult &result, u64 peak_memory) {
  constexpr double kMebibyte = 1 << 20;
  std::string out = "step                 ms    cpu ms\n";
  StepTime total;
  for (const StepTime &time : result.times) {
    out += fmt::format("{:<16} {:>7.2f}  {:>7.2f}\n", time.name, time.wall * 1e3,
                       time.processor * 1e3);
    total.wall += time.wall;
    total.processor += time.processor;
  }
  out +=
      fmt::format("{:<16} {:>7.2f}  {:>7.2f}\n", "total", total.wall * 1e3, total.processor * 1e3);
  for (const StepTime &time : result.compilers)
    out += fmt::format("  of it {:<10} {:>7.2f}        -\n", time.name, time.wall * 1e3);
  const auto live = std::count_if(result.facts.functions.begin(), result.facts.functions.end(),
                                  [](const FunctionFacts &f) { return f.live; });
  out +=
      fmt::format("objects {}, functions {} of {}, kernels {}, sections {}, bytes {}\n",
                  result.facts.objects, live, result.facts.functions.size(),
                  result.facts.kernels.size(), result.facts.sections.size(), result.bytes.size());
  if (!result.facts.folded.empty()) {
    u64 saved = 0;
    for (const FoldedFacts &one : result.facts.folded)
      saved += one.size;
    out += fmt::format("folded {} functions that are the same as others, {} bytes of code\n",
                       result.facts.folded.size(), saved);
  }
  if (peak_memory != 0)
    out += fmt::format("peak memory {:.1f} MiB\n", static_cast<double>(peak_memory) / kMebibyte);
  return out + cache_text(result.cache);
}

std::string cache_text(const CacheUse &use) {
  if (!use.on)
    return "cache off\n";
  return fmt::format("cache hits {} and {} shared, misses {}, stored {}\n", use.local_hits,
                     use.remote_hits, use.misses, use.stored);
}

} // namespace culink
