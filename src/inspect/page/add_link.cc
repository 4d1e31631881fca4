// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Facts of a link beside its image. Functions of the image and of the facts are matched by name;
// where files have functions of one name, each local to its file, they come in the same order.
#include "inspect/page/add_link.h"

#include <deque>

#include "support/string_index.h"

namespace culink::page {

namespace {

void add_inputs(ImageReport &image, const LinkFacts &facts) {
  NameMap<u32> inputs;
  NameMap<std::deque<u32>> input_of;
  for (const FunctionFacts &function : facts.functions) {
    if (!function.live || function.file.empty())
      continue;
    const auto [at, is_new] =
        inputs.try_emplace(function.file, static_cast<u32>(image.inputs.size()));
    if (is_new)
      image.inputs.push_back(function.file);
    input_of[function.name].push_back(at->second);
  }
  for (FunctionRow &function : image.functions) {
    const auto at = input_of.find(function.name);
    if (at == input_of.end() || at->second.empty())
      continue;
    function.input = at->second.front();
    if (at->second.size() > 1)
      at->second.pop_front();
  }
}

} // namespace

Report with_link(ImageReport image, const LinkResult &result) {
  Report out;
  out.of_link = true;
  add_inputs(image, result.facts);
  out.images.push_back(std::move(image));
  for (const DiscardedFacts &item : result.facts.discarded)
    out.discarded.push_back({item.name, item.file, item.size, item.why});
  for (const StepTime &step : result.times)
    out.steps.push_back({std::string(step.name), step.wall, step.processor});
  return out;
}

} // namespace culink::page
