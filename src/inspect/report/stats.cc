// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Numbers about one link: a page of them for --stats, a table of times for -time.
#include "inspect/report/stats.h"

#include <algorithm>

#include <fmt/format.h>

namespace culink {

// A page of numbers about one link. Times are of the clock; where several threads worked, the
// processor's time is larger. Rows of compilers are parts of the steps that call them, and sums
// where several are called at once.

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

// Times of the steps of a link as a table with commas, for spreadsheets and bench/link_bench.py.

std::string time_table_head() {
  return "source file name , phase name , phase input files , phase output file , arch , tool, "
         "metric , unit\n";
}

std::string time_table_rows(const std::vector<StepTime> &times, const std::string &output,
                            const std::string &target) {
  std::string out;
  for (const StepTime &time : times) {
    const auto row = [&](double seconds, std::string_view unit) {
      out += fmt::format(" , {} ,  , {} , {} , culink , {:.4f} , {}\n", time.name, output, target,
                         seconds * 1e3, unit);
    };
    row(time.wall, "ms");
    row(time.processor, "cpu ms");
  }
  return out;
}

} // namespace culink
