// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <vector>

#include "culink/link_facts.h"
#include "culink/linker.h"
#include "culink/step_time.h"
#include "support/demangle.h"

namespace culink {

// The link map: every section of the output with the symbols in it and their origin, then what of
// the inputs was left out.
[[nodiscard]] std::string link_map_text(const LinkFacts &facts, NameStyle names);
// The link map for programs.
[[nodiscard]] std::string link_map_json(const LinkFacts &facts);

// The second part alone, a line each.
[[nodiscard]] std::string discarded_text(const LinkFacts &facts, NameStyle names);

// --trace-symbol: which inputs define or refer to these symbols, in the order of the inputs.
[[nodiscard]] std::string
trace_symbol_text(const LinkFacts &facts, const std::vector<std::string> &wanted, NameStyle names);

// --cref: every symbol with the inputs that define it and those that refer to it, by name.
[[nodiscard]] std::string cross_reference_text(const LinkFacts &facts, NameStyle names);

// --trace: the objects that are linked, a line each; those that were PTX are marked.
[[nodiscard]] std::string inputs_text(const LinkFacts &facts,
                                      const std::vector<std::string> &compiled);

// What keeps the functions and variables of this name, which LinkOptions::why_live asked for: a
// line for each step of the shortest chain, or one that says why the symbol is not live.
[[nodiscard]] std::string why_live_text(const LinkFacts &facts, const std::string &name,
                                        NameStyle names);

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
