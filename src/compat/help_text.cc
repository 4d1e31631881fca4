// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// --help, from the rows of the option table in their groups, for terminals of 80 columns.
#include <algorithm>

#include <fmt/format.h>

#include "compat/command_line.h"

namespace culink {

namespace {

constexpr size_t kHelpColumn = 26;
constexpr size_t kHelpWidth = 80;

// The text from a column on, its words in as many lines as they need. `used`: of the first one.
std::string wrapped(std::string_view text, size_t used) {
  std::string out;
  const auto start = [&] {
    out += used + 2 > kHelpColumn ? fmt::format("\n{:{}}", "", kHelpColumn)
                                  : std::string(kHelpColumn - used, ' ');
    used = kHelpColumn;
  };
  start();
  while (!text.empty()) {
    const size_t end = std::min(text.find(' '), text.size());
    if (used > kHelpColumn && used + 1 + end > kHelpWidth)
      start();
    const std::string_view blank = used > kHelpColumn ? " " : "";
    out += fmt::format("{}{}", blank, text.substr(0, end));
    used += blank.size() + end;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

std::string help_line(const OptionRow &row) {
  std::string line = fmt::format("  --{}", row.name);
  if (!row.placeholder.empty())
    line += fmt::format(" {}", row.placeholder);
  if (!row.brief.empty())
    line += fmt::format(", -{}", row.brief);
  return fmt::format("{}{}\n", line, wrapped(row.help, line.size()));
}

} // namespace

std::string help_text() {
  std::string out =
      "usage: culink -arch=sm_NN [options] <objects> -o <file>\n"
      "\n"
      "Links relocatable CUDA device objects into a cubin. A value follows after '='\n"
      "or as the next word; lists are separated by commas; @file stands for the words\n"
      "in a file.\n";
  for (const OptionGroup &group : option_groups()) {
    out += fmt::format("\n{}:\n", group.title);
    for (const OptionRow &row : group.options)
      out += help_line(row);
  }
  return out;
}

} // namespace culink
