// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The merge sort that nvlink uses on its lists (Q012). Where keys tie, its result is neither the
// input order nor its reverse: elements are dealt alternately to two lists, each time in front,
// both are sorted, and the merge asks only whether the head of the first list goes first.
#pragma once

#include <vector>

namespace culink {

template <typename T, typename First>
[[nodiscard]] std::vector<T> list_sort(const std::vector<T> &list, First goes_first) {
  if (list.size() < 2)
    return list;
  std::vector<T> halves[2];
  for (size_t i = list.size(); i-- > 0;)
    halves[i % 2].push_back(list[i]);
  const std::vector<T> a = list_sort(halves[0], goes_first);
  const std::vector<T> b = list_sort(halves[1], goes_first);
  std::vector<T> out;
  out.reserve(list.size());
  size_t i = 0, j = 0;
  while (i < a.size() && j < b.size())
    out.push_back(goes_first(a[i], b[j]) ? a[i++] : b[j++]);
  out.insert(out.end(), a.begin() + static_cast<long>(i), a.end());
  out.insert(out.end(), b.begin() + static_cast<long>(j), b.end());
  return out;
}

} // namespace culink
