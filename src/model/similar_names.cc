// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What somebody may have meant who wrote a name that does not exist: of an option, of one of its
// values, of a function. Short names are near to everything, so the number of differences that
// counts as a slip grows with the length.
#include "model/similar_names.h"

#include <algorithm>

namespace culink {

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
