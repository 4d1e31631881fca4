// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <vector>

#include "culink/link_facts.h"
#include "culink/linker.h"
#include "culink/step_time.h"
#include "support/demangle.h"

namespace culink {

// Returns the link map: every section of the output with its symbols and their origin, then the
// discarded parts of the inputs.
[[nodiscard]] std::string link_map_text(const LinkFacts &facts, NameStyle names);
// Returns the link map as JSON.
[[nodiscard]] std::string link_map_json(const LinkFacts &facts);

// Returns only the discarded parts, one line each.
[[nodiscard]] std::string discarded_text(const LinkFacts &facts, NameStyle names);

// --trace-symbol: the inputs that define or refer to these symbols, in the order of the inputs.
[[nodiscard]] std::string
trace_symbol_text(const LinkFacts &facts, const std::vector<std::string> &wanted, NameStyle names);

// --cref: every symbol with the inputs that define it and those that refer to it, by name.
[[nodiscard]] std::string cross_reference_text(const LinkFacts &facts, NameStyle names);

// --trace: the objects that are linked, one line each; those compiled from PTX are marked.
[[nodiscard]] std::string inputs_text(const LinkFacts &facts,
                                      const std::vector<std::string> &compiled);

// Explains why the functions and variables of this name, which LinkOptions::why_live contains, are
// live: one line for each step of the shortest chain, or one line if the symbol is not live.
[[nodiscard]] std::string why_live_text(const LinkFacts &facts, const std::string &name,
                                        NameStyle names);

// --stats: the time of each step, what was linked, and how large it is.
[[nodiscard]] std::string stats_text(const LinkResult &result, u64 peak_memory = 0);

// Returns the cache's line of --stats, for links without --stats.
[[nodiscard]] std::string cache_text(const CacheUse &use);

// The table of -time, with nvlink's columns. nvlink writes the head only into an empty file, and
// rows only for compilers that it runs; our rows are the steps of the link, in milliseconds of wall
// time (unit `ms`) and of processor time (unit `cpu ms`).
[[nodiscard]] std::string time_table_head();
[[nodiscard]] std::string time_table_rows(const std::vector<StepTime> &times,
                                          const std::string &output, const std::string &target);

} // namespace culink
