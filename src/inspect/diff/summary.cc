// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The summary of a comparison by function: which ones changed and how, and names in report lines.
#include "inspect/diff/summary.h"

#include <algorithm>
#include <array>
#include <functional>
#include <map>

#include "inspect/reader/functions.h"
#include "inspect/reader/usage.h"
#include "support/bytes.h"
#include "support/demangle.h"

namespace culink::text {

// The most common questions about two files: which kernels and functions became larger, or need
// more registers, stack or memory. The numbers are those of `cubin usage`.

namespace {

// The numbers that are compared: facts of inspect/reader/usage.h, and the total size of all banks.
constexpr std::array<std::string_view, FunctionFacts::kNumbers> kFields = {
    "code",   "registers", "stack",    "frame",      "spills",
    "shared", "local",     "barriers", "parameters", "constants"};

std::optional<u64> value_of(std::string_view key, const FunctionUsage &use) {
  for (const inspect::FunctionFact &fact : inspect::function_facts())
    if (fact.key == key)
      return fact.value(use);
  return inspect::sum_of_constants(use);
}

constexpr size_t kCode = 0;
static_assert(kFields[kCode] == "code");

FunctionChange of_one_file(const FunctionFacts &facts, FunctionChange::Kind kind) {
  FunctionChange out{facts.name, facts.kernel, kind, facts.image, false, {}};
  for (size_t i = 0; i < kFields.size(); ++i)
    if (const std::optional<u64> value = facts.numbers[i]; value && *value != 0) {
      FieldChange &change = out.fields.emplace_back(FieldChange{kFields[i], {}, {}});
      (kind == FunctionChange::Kind::Added ? change.after : change.before) = value;
    }
  return out;
}

std::string shown(const FieldChange &field, const std::optional<u64> &value) {
  const bool stack = field.key == "stack";
  return !value                               ? "unknown"
         : stack && *value == kUnboundedStack ? "unbounded"
                                              : std::to_string(*value);
}

} // namespace

std::vector<FunctionFacts> function_facts(const elf::ElfView &file, u32 image) {
  std::vector<FunctionFacts> out;
  const inspect::Functions functions(file);
  for (const FunctionUsage &use : inspect::collect_usage(file).functions) {
    const ByteSpan code = functions.all()[out.size()].code;
    FunctionFacts &facts =
        out.emplace_back(FunctionFacts{std::string(use.name),
                                       use.kernel,
                                       image,
                                       {},
                                       std::hash<std::string_view>()(as_text(code))});
    for (size_t i = 0; i < kFields.size(); ++i)
      facts.numbers[i] = value_of(kFields[i], use);
  }
  return out;
}

DiffSummary summarize_functions(std::span<const FunctionFacts> a,
                                std::span<const FunctionFacts> b) {
  std::map<std::string_view, std::vector<const FunctionFacts *>> unmatched; // in reverse order
  for (const FunctionFacts &facts : b)
    unmatched[facts.name].push_back(&facts);
  for (auto &[_, list] : unmatched)
    std::ranges::reverse(list);
  DiffSummary out;
  for (const FunctionFacts &facts : a) {
    const auto at = unmatched.find(facts.name);
    if (at == unmatched.end() || at->second.empty()) {
      out.changes.push_back(of_one_file(facts, FunctionChange::Kind::Removed));
      continue;
    }
    const FunctionFacts &other = *at->second.back();
    at->second.pop_back();
    FunctionChange change{facts.name,  other.kernel, FunctionChange::Kind::Changed,
                          facts.image, false,        {}};
    for (size_t i = 0; i < kFields.size(); ++i)
      if (facts.numbers[i] != other.numbers[i])
        change.fields.push_back({kFields[i], facts.numbers[i], other.numbers[i]});
    change.instructions =
        facts.numbers[kCode] == other.numbers[kCode] && facts.instructions != other.instructions;
    if (change.fields.empty() && !change.instructions)
      ++out.same;
    else
      out.changes.push_back(std::move(change));
  }
  for (const FunctionFacts &facts : b) {
    const std::vector<const FunctionFacts *> &list = unmatched[facts.name];
    if (std::ranges::find(list, &facts) != list.end())
      out.changes.push_back(of_one_file(facts, FunctionChange::Kind::Added));
  }
  return out;
}

std::string_view name_of_change(FunctionChange::Kind kind) {
  return kind == FunctionChange::Kind::Added     ? "added"
         : kind == FunctionChange::Kind::Removed ? "removed"
                                                 : "changed";
}

std::string describe_change(const FunctionChange &change) {
  const bool both = change.kind == FunctionChange::Kind::Changed;
  std::string out(both ? "" : name_of_change(change.kind));
  for (const FieldChange &field : change.fields) {
    out += (out.empty() ? "" : ", ") + std::string(field.key) + " ";
    if (both)
      out += shown(field, field.before) + " -> " + shown(field, field.after);
    else
      out += shown(field, field.before ? field.before : field.after);
  }
  if (change.instructions)
    out += std::string(out.empty() ? "" : ", ") + "other instructions";
  return out;
}

// Reports of differences contain names of symbols, and names of sections that end in the name of a
// function. The functions here find these names in the finished text, so that every line can show
// demangled names, regardless of the part of the comparison that wrote it.

namespace {

bool is_part_of_name(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         c == '$' || c == '.';
}

// Demangles a word that is a name or, like a section's name, has one after a dot.
std::string demangle_word(std::string_view word) {
  if (std::string text = demangle(word); text != word)
    return text;
  const size_t dot = std::min(word.find("._"), word.find(".$"));
  if (dot == std::string_view::npos)
    return std::string(word);
  return std::string(word.substr(0, dot + 1)) + demangle(word.substr(dot + 1));
}

} // namespace

std::string demangle_within(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const auto begin = std::find_if(text.begin(), text.end(), is_part_of_name);
    const auto end = std::find_if_not(begin, text.end(), is_part_of_name);
    out.append(text.begin(), begin);
    out += demangle_word({begin, end});
    text.remove_prefix(static_cast<size_t>(end - text.begin()));
  }
  return out;
}

} // namespace culink::text
