// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is stored more than once. Equal instructions are found by digests, so that no code has to be
// kept while a file is walked. Whether two relocatable functions with equal instructions also have
// equal relocations is not looked at: they would have to be linked to tell.
#include "survey/duplicates.h"

#include <algorithm>
#include <set>

#include "inspect/image_parts.h"
#include "survey/size_table.h"

namespace culink {

namespace {

Duplicate sum_up(std::span<const CodeCopy> copies) {
  std::set<std::string_view> names, targets;
  std::set<u32> fatbins;
  Duplicate out;
  u64 largest = 0;
  for (const CodeCopy &copy : copies) {
    names.insert(copy.name);
    targets.insert(copy.target);
    fatbins.insert(copy.fatbin);
    out.size = std::max(out.size, copy.size);
    out.cost += copy.stored;
    largest = std::max(largest, copy.stored);
  }
  out.name = *names.begin();
  out.names = names.size();
  out.copies = copies.size();
  out.targets = targets.size();
  out.fatbins = fatbins.size();
  out.cost -= largest;
  return out;
}

// One row for each run of copies that agree in `key`, if it has more than one.
template <typename Key>
std::vector<Duplicate> group(std::vector<CodeCopy> &copies, const Key &key, u64 &cost) {
  std::ranges::stable_sort(copies,
                           [&](const CodeCopy &a, const CodeCopy &b) { return key(a) < key(b); });
  std::vector<Duplicate> out;
  for (size_t begin = 0, end = 0; begin < copies.size(); begin = end) {
    while (end < copies.size() && key(copies[end]) == key(copies[begin]))
      ++end;
    if (end - begin < 2)
      continue;
    out.push_back(sum_up(std::span(copies).subspan(begin, end - begin)));
    cost += out.back().cost;
  }
  std::ranges::stable_sort(out, [](const Duplicate &a, const Duplicate &b) {
    return a.cost != b.cost ? a.cost > b.cost : a.name < b.name;
  });
  return out;
}

} // namespace

std::vector<CodeCopy> copies_in(const Image &image) {
  std::vector<CodeCopy> out;
  if (!image.view || image.bytes.empty())
    return out;
  for (const inspect::SizedFunction &function : inspect::measure_image(*image.view).functions) {
    if (function.code.empty())
      continue;
    const u64 stored =
        proportion(image.code.bytes.size(), function.code.size(), image.bytes.size());
    out.push_back({std::string(function.name), function.kernel, image.code.target,
                   image.code.number, image.code.fatbin, function.code.size(), stored,
                   digest_of(function.code)});
  }
  return out;
}

Duplicates find_duplicates(std::vector<CodeCopy> copies) {
  Duplicates out;
  out.equal_code = group(
      copies, [](const CodeCopy &copy) { return copy.digest; }, out.equal_code_cost);
  std::erase_if(copies, [](const CodeCopy &copy) { return !copy.kernel; });
  out.same_kernels = group(
      copies, [](const CodeCopy &copy) { return std::string_view(copy.name); },
      out.same_kernels_cost);
  return out;
}

} // namespace culink
