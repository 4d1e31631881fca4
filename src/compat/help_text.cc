// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// --help, from the rows of the option table in the order of their long names.
#include <fmt/format.h>

#include "compat/command_line.h"

namespace culink {

namespace {

constexpr size_t kHelpColumn = 44;

std::string help_line(const OptionRow &row) {
  std::string line = fmt::format("  --{}", row.name);
  if (!row.placeholder.empty())
    line += fmt::format(" {}", row.placeholder);
  if (!row.brief.empty())
    line += fmt::format(", -{}", row.brief);
  if (line.size() + 2 > kHelpColumn)
    line += fmt::format("\n{:{}}", "", kHelpColumn);
  else
    line.resize(kHelpColumn, ' ');
  return fmt::format("{}{}\n", line, row.help);
}

} // namespace

std::string help_text() {
  std::string out =
      "usage: culink -arch=sm_NN [options] <objects> -o <file>\n"
      "\n"
      "Links relocatable CUDA device objects into a cubin.\n"
      "\n"
      "A value follows after '=' or as the next word; lists are separated by commas.\n"
      "\n";
  for (const OptionRow *row : documented_rows())
    out += help_line(*row);
  return out;
}

} // namespace culink
