// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions that are in the files more than once. Two are the same if their code has the same size
// and digest; groups are numbered in the order in which they are met, so that a page does not
// depend on digests.
#include "inspect/page/duplicates.h"

#include <map>
#include <string_view>
#include <tuple>
#include <utility>

namespace culink::page {

namespace {

using Key = std::tuple<std::string_view, bool, std::string_view, u64, u64>;

Key key_of(const ImageReport &image, const FunctionRow &function) {
  return {image.target, image.earlier,
          image.linked ? std::string_view() : std::string_view(function.name), function.code,
          function.digest};
}

} // namespace

std::vector<std::vector<u32>> number_duplicates(const Report &report) {
  std::map<Key, u32> seen; // how often
  for (const ImageReport &image : report.images)
    for (const FunctionRow &function : image.functions)
      if (function.code != 0)
        ++seen[key_of(image, function)];
  std::map<Key, u32> numbers;
  std::vector<std::vector<u32>> out;
  for (const ImageReport &image : report.images) {
    std::vector<u32> &of_image = out.emplace_back();
    for (const FunctionRow &function : image.functions) {
      const Key key = key_of(image, function);
      const auto count = seen.find(key);
      const bool several = count != seen.end() && count->second > 1;
      of_image.push_back(
          several ? numbers.try_emplace(key, static_cast<u32>(numbers.size() + 1)).first->second
                  : 0);
    }
  }
  return out;
}

std::vector<std::vector<u32>> number_code(const Report &report) {
  std::map<std::pair<u64, u64>, u32> numbers;
  std::vector<std::vector<u32>> out;
  for (const ImageReport &image : report.images) {
    std::vector<u32> &of_image = out.emplace_back();
    for (const FunctionRow &function : image.functions) {
      const auto next = static_cast<u32>(numbers.size());
      of_image.push_back(numbers.try_emplace({function.code, function.digest}, next).first->second);
    }
  }
  return out;
}

} // namespace culink::page
