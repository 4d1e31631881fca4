// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Hints for command lines that were mistyped, or typed for another program. nvlink's grammar knows
// neither prefixes nor the other number of dashes, so that what is wrong may be the dashes alone,
// or a value that has to stand apart.
#include "driver/options/suggestions.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <vector>

#include <fmt/format.h>

#include "elf/target/arch.h"
#include "link/model/name_pattern.h"

namespace culink {

namespace {

// From so many letters on, what looks like the beginning of a name may be one.
constexpr size_t kLettersOfBeginning = 4;

// What other tools call it.
struct ForeignOption {
  std::string_view word; // a star at its end stands for any text
  std::string_view hint;
};
constexpr std::array<ForeignOption, 11> kForeignOptions = {{
    {"--gc-sections", "unused code is always left out; -g keeps it"},
    {"--no-gc-sections", "-g keeps unused code"},
    {"-G", "objects that were compiled with -G are linked with -g"},
    {"-I*", "culink compiles nothing that includes files; -L is for libraries"},
    {"-O*", "optimisation is asked of nvcc and ptxas; with -dlto, -Xptxas passes it on"},
    {"-Wl,*", "options need no prefix here; under nvcc it is -Xnvlink"},
    {"-Xnvlink*", "options need no prefix here; it is nvcc's"},
    {"-dc", "nvcc compiles; culink links what it made"},
    {"-gencode*", "one link makes code for one target: -arch=sm_NN"},
    {"-rdc*", "it is an option of nvcc, for compiling"},
    {"-s", "--strip-debug leaves debug information out"},
}};

// Words that are commands in other programs, and of cubin.
struct Command {
  std::string_view word;
  std::string_view instead;
};
constexpr std::array<Command, 15> kCommands = {{
    {"assemble", "cubin assemble"},
    {"diff", "cubin diff"},
    {"disasm", "cubin disasm"},
    {"dump", "cubin dump"},
    {"extract", "cubin extract"},
    {"help", "culink --help"},
    {"link", "culink -arch=sm_NN a.o b.o -o linked.cubin"},
    {"list", "cubin list"},
    {"pack", "cubin pack"},
    {"prune", "cubin prune"},
    {"size", "cubin size"},
    {"text", "cubin text"},
    {"usage", "cubin usage"},
    {"verify", "cubin verify"},
    {"version", "culink --version"},
}};

bool is_foreign(const ForeignOption &row, std::string_view word) {
  return row.word.ends_with('*') ? word.starts_with(row.word.substr(0, row.word.size() - 1))
                                 : word == row.word;
}

std::string with_value(std::string_view option, std::string_view rest) {
  return fmt::format("did you mean '{}{}'?", option, rest);
}

// -oout.cubin and the like: all of it but the value is an option.
std::string suggest_blank(std::string_view body) {
  for (size_t length = body.size() - 1; length > 0; --length)
    if (const OptionRow *row = find_brief_option(body.substr(0, length));
        row && row->kind != ValueKind::Flag && !row->help.empty() && (length > 1 || body[0] == 'o'))
      return with_value(fmt::format("-{}", row->brief), fmt::format(" {}", body.substr(length)));
  return "";
}

std::vector<std::string_view> targets() {
  std::vector<std::string_view> out;
  for (const arch::ArchInfo &target : arch::all_archs())
    out.push_back(target.name);
  return out;
}

} // namespace

std::string suggest_option(std::string_view word) {
  for (const ForeignOption &row : kForeignOptions)
    if (is_foreign(row, word))
      return std::string(row.hint);
  const size_t dashes = word.starts_with("--") ? 2 : 1;
  const size_t equals = std::min(word.find('='), word.size());
  const std::string_view name = word.substr(dashes, equals - dashes), rest = word.substr(equals);
  const OptionRow *swapped = dashes == 2 ? find_brief_option(name) : find_option(name);
  if (swapped && !swapped->help.empty())
    return with_value(fmt::format("{}{}", dashes == 2 ? "-" : "--", name), rest);
  std::vector<std::string> spellings;
  for (const OptionRow *row : documented_rows()) {
    spellings.push_back(fmt::format("--{}", row->name));
    if (row->brief.size() > 1)
      spellings.push_back(fmt::format("-{}", row->brief));
  }
  const std::string given(word.substr(0, equals));
  // Beginnings come first: nvlink takes no abbreviations, but people type them.
  for (const std::string &spelling : spellings)
    if (name.size() > 2 && spelling.starts_with(given))
      return with_value(spelling, rest);
  const std::vector<std::string_view> near =
      similar_names(given, {spellings.begin(), spellings.end()}, 1);
  if (!near.empty())
    return with_value(near.front(), rest);
  for (const std::string &spelling : spellings)
    if (name.size() > kLettersOfBeginning &&
        !similar_names(given, {std::string_view(spelling).substr(0, given.size())}, 1).empty())
      return with_value(spelling, rest);
  if (std::string hint = dashes == 1 && !name.empty() ? suggest_blank(word.substr(1)) : "";
      !hint.empty())
    return hint;
  return "culink --help lists all options";
}

namespace {

std::string letters_and_digits(std::string_view word) {
  std::string out;
  for (const char c : word)
    if (std::isalnum(static_cast<unsigned char>(c)))
      out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

// Of values, those that a misspelt one may stand for. A target with another number is another
// target.
std::vector<std::string_view> meant_values(const OptionRow &row, std::string_view value,
                                           const std::vector<std::string_view> &known) {
  if (row.kind != ValueKind::Target)
    return similar_names(value, known, 1);
  std::vector<std::string_view> out;
  for (const std::string_view one : known)
    if (const std::string given = letters_and_digits(value);
        letters_and_digits(one) == given || letters_and_digits(one) == "sm" + given)
      out.push_back(one);
  return out;
}

} // namespace

std::string suggest_value(const OptionRow &row, std::string_view value) {
  const std::vector<std::string_view> known =
      row.kind == ValueKind::Target
          ? targets()
          : std::vector<std::string_view>(row.choices.begin(), row.choices.end());
  if (known.empty())
    return "";
  const std::vector<std::string_view> near = meant_values(row, value, known);
  const std::string guess = near.empty() ? "" : fmt::format("did you mean '{}'? ", near.front());
  return guess + "values: " + comma_list(known);
}

std::string suggest_command(std::string_view word) {
  const auto *const found = std::find_if(kCommands.begin(), kCommands.end(),
                                         [word](const Command &row) { return row.word == word; });
  return found == kCommands.end() ? "" : std::string(found->instead);
}

} // namespace culink
