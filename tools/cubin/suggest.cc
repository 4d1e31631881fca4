// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Misspelt words: letters that are missing, doubled, wrong, or in the order of fast fingers, which
// counts as one mistake (the distance of Damerau and Levenshtein).
#include "suggest.h"

#include <algorithm>

namespace culink::tools {

namespace {

size_t mistakes(std::string_view a, std::string_view b) {
  std::vector<size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j)
    last[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      row[j] =
          std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before.swap(last);
    last.swap(row);
  }
  return last[b.size()];
}

} // namespace

std::string nearest_word(std::string_view word, const std::vector<std::string> &words) {
  constexpr size_t kLongest = 40; // what is longer is no mistyped word
  if (word.size() > kLongest)
    return {};
  std::string best;
  size_t fewest = std::max<size_t>(2, word.size() / 3) + 1;
  for (const std::string &candidate : words) {
    const bool begins = word.size() > 2 && candidate.starts_with(word);
    const size_t count = begins ? 1 : mistakes(word, candidate);
    if (count < fewest && count < candidate.size()) {
      fewest = count;
      best = candidate;
    }
  }
  return best;
}

} // namespace culink::tools
