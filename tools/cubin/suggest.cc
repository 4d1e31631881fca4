// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Misspelt words: letters that are missing, doubled, wrong, or in the order of fast fingers.
#include "suggest.h"

#include <algorithm>

#include "model/name_pattern.h"

namespace culink::tools {

std::string nearest_word(std::string_view word, const std::vector<std::string> &words) {
  constexpr size_t kLongest = 40; // what is longer is no mistyped word
  if (word.size() > kLongest)
    return {};
  std::string best;
  size_t fewest = std::max<size_t>(2, word.size() / 3) + 1;
  for (const std::string &candidate : words) {
    const bool begins = word.size() > 2 && candidate.starts_with(word);
    const size_t count = begins ? 1 : edit_distance(word, candidate, fewest);
    if (count < fewest && count < candidate.size()) {
      fewest = count;
      best = candidate;
    }
  }
  return best;
}

} // namespace culink::tools
