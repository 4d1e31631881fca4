// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An optimiser that works with several threads (-split-compile) or in haste (-Ofc=max) writes the
// same lines in every run, but not in the same order: the variables of a text lie in the order of
// a hash of their addresses, and texts come as their threads end. Equal inputs shall give equal
// outputs, so both are sorted. Functions always come in one order.
//
// The optimiser writes each variable on a line, and all of them behind each other:
//
//   .visible .global .align 8 .u64 pointer = generic(table);
//
// What may surprise: a variable has to be declared before it is referenced, so one that references
// others follows them.
#include "compilers/lto/fixed_order.h"

#include <algorithm>
#include <string_view>

#include "support/string_index.h"
#include "support/types.h"

namespace culink {

namespace {

// ".global" and ".const", with or without a word for the linkage before it.
bool declares_variable(std::string_view line) {
  constexpr std::string_view kLinkages[] = {".visible ", ".weak ", ".common ", ".extern "};
  for (const std::string_view linkage : kLinkages)
    if (line.starts_with(linkage))
      line.remove_prefix(linkage.size());
  return (line.starts_with(".global ") || line.starts_with(".const ")) && line.ends_with(";\n");
}

bool is_in_names(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '$' || c == '%';
}

std::vector<std::string_view> names_in(std::string_view text) {
  std::vector<std::string_view> out;
  for (size_t at = 0; at < text.size(); ++at) {
    size_t end = at;
    while (end < text.size() && is_in_names(text[end]))
      ++end;
    if (end != at)
      out.push_back(text.substr(at, end - at));
    at = end;
  }
  return out;
}

std::string_view declared_name(std::string_view line) {
  const std::vector<std::string_view> names = names_in(line.substr(0, line.find_first_of("[=;")));
  return names.empty() ? std::string_view() : names.back();
}

// Lines that follow each other, of which each declares a variable.
class Variables {
public:
  void add(std::string_view line) { lines_.push_back(line); }

  // Appends the lines in their new order and forgets them.
  void append_to(std::string &out) {
    std::sort(lines_.begin(), lines_.end());
    numbers_.clear();
    for (u32 i = 0; i < lines_.size(); ++i)
      numbers_.emplace(declared_name(lines_[i]), i);
    seen_.assign(lines_.size(), false);
    for (u32 i = 0; i < lines_.size(); ++i)
      append_with_references(i, out);
    lines_.clear();
  }

private:
  struct Step {
    u32 number;
    std::vector<std::string_view> references; // which are not looked at yet
  };

  void visit(u32 number) {
    seen_[number] = true;
    const std::string_view line = lines_[number];
    pending_.push_back({number, names_in(line.substr(std::min(line.find('='), line.size())))});
  }

  // Without recursion, because lists that hang together can be long.
  void append_with_references(u32 first, std::string &out) {
    if (!seen_[first])
      visit(first);
    while (!pending_.empty()) {
      Step &step = pending_.back();
      if (step.references.empty()) {
        out += lines_[step.number];
        pending_.pop_back();
        continue;
      }
      const auto found = numbers_.find(step.references.back());
      step.references.pop_back();
      if (found != numbers_.end() && !seen_[found->second])
        visit(found->second);
    }
  }

  std::vector<std::string_view> lines_;
  NameMap<u32> numbers_; // by name
  std::vector<bool> seen_;
  std::vector<Step> pending_;
};

std::string with_sorted_variables(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  Variables variables;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, std::min(text.find('\n'), text.size() - 1) + 1);
    text.remove_prefix(line.size());
    if (declares_variable(line)) {
      variables.add(line);
      continue;
    }
    variables.append_to(out);
    out += line;
  }
  variables.append_to(out);
  return out;
}

} // namespace

std::vector<std::string> in_fixed_order(std::vector<std::string> parts) {
  for (std::string &part : parts)
    part = with_sorted_variables(part);
  std::sort(parts.begin(), parts.end());
  return parts;
}

} // namespace culink
