// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <vector>

#include "culink/linker.h"
#include "culink/step_time.h"

namespace culink {

// --stats: the time of each step, what was linked, and how large it is.
[[nodiscard]] std::string stats_text(const LinkResult &result, u64 peak_memory = 0);

// The line of it about the cache, for links that have nothing else to show.
[[nodiscard]] std::string cache_text(const CacheUse &use);

// The table of -time, with nvlink's columns. nvlink writes the head into an empty file only, and
// rows only for compilers it runs; our rows are the steps of the link, in milliseconds of wall time
// (unit `ms`) and of processor time (unit `cpu ms`).
[[nodiscard]] std::string time_table_head();
[[nodiscard]] std::string time_table_rows(const std::vector<StepTime> &times,
                                          const std::string &output, const std::string &target);

} // namespace culink
