// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a command line must have and may not have, before any file is opened. Options that matter
// only to inputs which culink cannot read yet are refused by name where a link without them would
// be another link than was asked for, and accepted where they change nothing: -L without -l, the
// compiler's options without -dlto.
#include <array>

#include <fmt/format.h>

#include "compat/command_line.h"

namespace culink {

namespace {

struct Pair {
  OptionId first;
  OptionId second;
};

constexpr std::array<Pair, 2> kConflicts = {{
    {OptionId::DumpCallgraph, OptionId::DumpCallgraphNoDemangle},
    {OptionId::UseHostInfo, OptionId::IgnoreHostInfo},
}};

// The first is an error without the second.
constexpr std::array<Pair, 3> kNeeds = {{
    {OptionId::SuppressDebugInfo, OptionId::Debug},
    {OptionId::FastCompile, OptionId::Dlto},
    {OptionId::EmitPtx, OptionId::Dlto},
}};

struct Missing {
  OptionId id;
  std::string_view what;
};

constexpr std::array<Missing, 5> kNotYet = {{
    {OptionId::Dlto, "link-time optimisation is"},
    {OptionId::LinkTimeOpt, "link-time optimisation is"},
    {OptionId::HostLinkerScript, "host linker scripts are"},
    {OptionId::UidxFile, "index files of unified functions are"},
}};

std::string spelled(OptionId id) {
  const OptionRow &row = option_row(id);
  return row.brief.empty() ? fmt::format("--{}", row.name) : fmt::format("-{}", row.brief);
}

bool has_either(const CommandLine &line, OptionId id) {
  return line.has(id) || (id == OptionId::Dlto && line.has(OptionId::LinkTimeOpt));
}

} // namespace

void check_command_line(const CommandLine &line, Diagnostics &diag) {
  if (!line.has(OptionId::Arch))
    diag.report(DiagId::MissingOption, {"-arch", "the target, for example -arch=sm_90"});
  if (line.value(OptionId::Output).empty() && !is_virtual_target(line.value(OptionId::Arch)))
    diag.report(DiagId::MissingOption, {"-o", "the output file"});
  for (const auto &[first, second] : kConflicts)
    if (line.has(first) && line.has(second))
      diag.report(DiagId::ConflictingOptions, {spelled(first), spelled(second)});
  for (const auto &[first, second] : kNeeds)
    if (line.has(first) && !has_either(line, second))
      diag.report(DiagId::OptionNeedsOption, {spelled(first), spelled(second)});
  for (const auto &[id, what] : kNotYet)
    if (line.has(id))
      diag.report(DiagId::NotSupportedYet, {spelled(id), std::string(what)});
  if (line.value(OptionId::Threads).starts_with('-'))
    diag.report(DiagId::BadOptionValue,
                {line.value(OptionId::Threads), std::string(option_row(OptionId::Threads).name)});
}

} // namespace culink
