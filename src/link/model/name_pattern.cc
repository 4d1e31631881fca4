// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Matches names as users type them. Users copy a declaration from the source, with `const` before
// the type and a star after a blank; c++filt prints the opposite. Both are converted to one form
// and compared: blanks only between words, and `const` after its type. A star in a pattern is
// matched without recursion. Demangling is slow, so a cheap test of the mangled name comes first.
#include "link/model/name_pattern.h"

#include <algorithm>

#include "culink/host_references.h"
#include "support/demangle.h"

namespace culink {

namespace {

bool is_word(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         c == '$' || c == '.';
}

std::vector<std::string_view> tokens_of(std::string_view text) {
  std::vector<std::string_view> out;
  for (size_t at = 0; at < text.size();) {
    size_t end = at + 1;
    while (is_word(text[at]) && end < text.size() && is_word(text[end]))
      ++end;
    if (text[at] != ' ')
      out.push_back(text.substr(at, end - at));
    at = end;
  }
  return out;
}

bool is_one_of(std::string_view token, std::string_view letters) {
  return token.size() == 1 && letters.find(token[0]) != std::string_view::npos;
}

// Returns the end of the type that begins at `at`: the position before a mark of a pointer,
// reference, array or list.
size_t end_of_type(const std::vector<std::string_view> &tokens, size_t at) {
  for (int depth = 0; at < tokens.size(); ++at) {
    if (depth == 0 && is_one_of(tokens[at], "*&,)>(["))
      return at;
    depth += tokens[at] == "<" ? 1 : 0;
    depth -= tokens[at] == ">" ? 1 : 0;
  }
  return at;
}

std::string canonical(std::string_view text) {
  std::vector<std::string_view> tokens = tokens_of(text);
  for (size_t i = 0; i < tokens.size(); ++i) {
    const bool begins_type = i == 0 || is_one_of(tokens[i - 1], "(<,");
    if (tokens[i] != "const" || !begins_type)
      continue;
    const auto from = tokens.begin() + static_cast<std::ptrdiff_t>(i);
    const auto to = tokens.begin() + static_cast<std::ptrdiff_t>(end_of_type(tokens, i + 1));
    std::rotate(from, from + 1, to);
  }
  std::string out;
  for (const std::string_view token : tokens) {
    if (!out.empty() && is_word(out.back()) && is_word(token[0]))
      out += ' ';
    out += token;
  }
  return out;
}

// Returns the name without namespaces and classes.
std::string_view unqualified(std::string_view name) {
  const size_t colons = name.rfind("::");
  return colons == std::string_view::npos ? name : name.substr(colons + 2);
}

// True if a name has a star that matches any text. Among parameters, a star after a type makes a
// pointer, unless it is the last character: the list would not be closed.
bool is_pattern(std::string_view wanted) {
  if (wanted.ends_with('*'))
    return true;
  int depth = 0;
  char before = '(';
  for (const char c : wanted) {
    depth += c == '(' || c == '<' ? 1 : 0;
    depth -= c == ')' || c == '>' ? 1 : 0;
    if (c == '*' && (depth <= 0 || is_one_of({&before, 1}, "(<,")))
      return true;
    before = c == ' ' ? before : c;
  }
  return false;
}

bool fits(std::string_view name, std::string_view wanted) {
  return is_pattern(wanted) ? matches_pattern(name, wanted) : name == wanted;
}

// False if a mangled name cannot match `wanted`: all that match contain the first identifier of
// `wanted` before its parameters. This avoids demangling most names.
bool may_be_meant(std::string_view symbol, std::string_view wanted) {
  if (wanted.find_first_of("*~") != std::string_view::npos ||
      wanted.find("operator") != std::string_view::npos ||
      wanted.find("std::") != std::string_view::npos ||
      wanted.find(" in ") != std::string_view::npos)
    return true;
  const size_t end = std::min(wanted.find_first_of("(<#"), wanted.size());
  size_t begin = end;
  while (begin > 0 && is_word(wanted[begin - 1]))
    --begin;
  return symbol.find(wanted.substr(begin, end - begin)) != std::string_view::npos;
}

} // namespace

// When the text after a star does not fit, only the last star needs to take one character more: the
// text before it fits already.
bool matches_pattern(std::string_view name, std::string_view pattern) {
  constexpr size_t kNone = std::string_view::npos;
  size_t n = 0, p = 0, star = kNone, retry = 0;
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      retry = n;
    } else if (p < pattern.size() && pattern[p] == name[n]) {
      ++p;
      ++n;
    } else if (star != kNone) {
      p = star + 1;
      n = ++retry;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == kNone;
}

bool is_meant(std::string_view symbol, std::string_view wanted) {
  if (wanted.empty())
    return false;
  if (fits(symbol, wanted))
    return true;
  if (!may_be_meant(symbol, wanted))
    return false;
  if (is_called(symbol, wanted))
    return true;
  const std::string text = demangle(symbol), plain = plain_name(symbol);
  if (fits(text, wanted) || fits(plain, wanted) || fits(unqualified(plain), wanted))
    return true;
  // Where one star of a pattern matches any text, those of pointers do, too.
  return fits(canonical(text), canonical(wanted));
}

bool selects_kernel(std::string_view symbol, const std::vector<std::string> &wanted,
                    bool by_source_name) {
  return std::any_of(wanted.begin(), wanted.end(), [&](const std::string &one) {
    return symbol.find(one) != std::string_view::npos || (by_source_name && is_meant(symbol, one));
  });
}

// Suggestions for a name that does not exist: of an option, of one of its values, of a function.
// Short names are similar to many, so the accepted number of differences grows with the length.

size_t edit_distance(std::string_view a, std::string_view b, size_t limit) {
  if (std::max(a.size(), b.size()) - std::min(a.size(), b.size()) >= limit)
    return limit;
  std::vector<size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j)
    last[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before.swap(last);
    last.swap(row);
  }
  return std::min(last[b.size()], limit);
}

std::vector<std::string_view>
similar_names(std::string_view word, const std::vector<std::string_view> &known, size_t most) {
  constexpr size_t kLettersPerSlip = 3;
  struct Candidate {
    size_t distance;
    std::string_view name;
  };
  std::vector<Candidate> near;
  for (const std::string_view name : known) {
    const size_t limit = std::max(word.size(), name.size()) / kLettersPerSlip + 1;
    const size_t distance = edit_distance(word, name, limit);
    if (distance < limit)
      near.push_back({distance, name});
  }
  std::stable_sort(near.begin(), near.end(),
                   [](const Candidate &a, const Candidate &b) { return a.distance < b.distance; });
  std::vector<std::string_view> out;
  for (const Candidate &one : near)
    if (out.size() < most && std::find(out.begin(), out.end(), one.name) == out.end())
      out.push_back(one.name);
  return out;
}

std::string comma_list(const std::vector<std::string_view> &names) {
  std::string out;
  for (const std::string_view name : names) {
    out += out.empty() ? "" : ", ";
    out += name;
  }
  return out;
}

} // namespace culink
