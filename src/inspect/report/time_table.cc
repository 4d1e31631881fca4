// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Times of the steps of a link as a table with commas, for spreadsheets and bench/link_bench.py.
#include "inspect/report/time_table.h"

#include <fmt/format.h>

namespace culink {

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
