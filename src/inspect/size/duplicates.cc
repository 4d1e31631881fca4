// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Code that is stored more than once. Equal instructions are found by digests, so that code need
// not be kept in memory while a file is read. Relocations of relocatable functions are not
// compared: the functions would have to be linked for that.
#include "inspect/size/duplicates.h"

#include <algorithm>
#include <set>

#include "inspect/reader/image_parts.h"
#include "inspect/size/size_table.h"

namespace culink {

namespace {

Duplicate sum_up(std::span<const FunctionCode> code) {
  std::set<std::string_view> names, targets;
  std::set<u32> fatbins;
  Duplicate out;
  u64 largest = 0;
  for (const FunctionCode &one : code) {
    names.insert(one.name);
    targets.insert(one.target);
    fatbins.insert(one.fatbin);
    out.size = std::max(out.size, one.size);
    out.cost += one.stored;
    largest = std::max(largest, one.stored);
  }
  out.name = *names.begin();
  out.names = names.size();
  out.instances = code.size();
  out.targets = targets.size();
  out.fatbins = fatbins.size();
  out.cost -= largest;
  return out;
}

// Returns one row for each run of more than one function with equal `key`.
template <typename Key>
std::vector<Duplicate> group(std::vector<FunctionCode> &code, const Key &key, u64 &cost) {
  std::ranges::stable_sort(
      code, [&](const FunctionCode &a, const FunctionCode &b) { return key(a) < key(b); });
  std::vector<Duplicate> out;
  for (size_t begin = 0, end = 0; begin < code.size(); begin = end) {
    while (end < code.size() && key(code[end]) == key(code[begin]))
      ++end;
    if (end - begin < 2)
      continue;
    out.push_back(sum_up(std::span(code).subspan(begin, end - begin)));
    cost += out.back().cost;
  }
  std::ranges::stable_sort(out, [](const Duplicate &a, const Duplicate &b) {
    return a.cost != b.cost ? a.cost > b.cost : a.name < b.name;
  });
  return out;
}

} // namespace

std::vector<FunctionCode> functions_in(const Image &image) {
  std::vector<FunctionCode> out;
  if (!image.view || image.bytes.empty())
    return out;
  // In linked code, linkers can fold only functions that have their own section.
  std::set<std::string_view> foldable;
  constexpr std::string_view kText = ".text.";
  if (image.view->header().type == elf::FileType::Executable)
    for (const elf::Section &section : image.view->sections())
      if (section.name.starts_with(kText))
        foldable.insert(section.name.substr(kText.size()));
  for (const inspect::SizedFunction &function : inspect::measure_image(*image.view).functions) {
    if (function.code.empty())
      continue;
    const u64 stored =
        proportion(image.code.bytes.size(), function.code.size(), image.bytes.size());
    out.push_back({std::string(function.name), function.kernel, image.code.target,
                   image.code.number, image.code.fatbin,
                   !function.kernel && foldable.contains(function.name), function.code.size(),
                   stored, digest_of(function.code)});
  }
  return out;
}

u64 bytes_of(std::span<const FoundCode *const> pieces) {
  u64 sum = 0;
  for (const FoundCode *code : pieces)
    sum += code->entry ? code->entry->whole.size() : code->bytes.size();
  return sum;
}

Duplicates find_duplicates(std::vector<FunctionCode> code) {
  Duplicates out;
  out.equal_code = group(
      code, [](const FunctionCode &one) { return one.digest; }, out.equal_code_cost);
  std::vector<FunctionCode> functions = code;
  std::erase_if(functions, [](const FunctionCode &one) { return !one.foldable; });
  (void)group(
      functions, [](const FunctionCode &one) { return std::pair(one.image, one.digest); },
      out.equal_functions);
  std::erase_if(code, [](const FunctionCode &one) { return !one.kernel; });
  (void)group(
      code,
      [](const FunctionCode &one) {
        return std::pair(std::string_view(one.name), std::string_view(one.target));
      },
      out.in_images);
  out.same_kernels = group(
      code, [](const FunctionCode &one) { return std::string_view(one.name); },
      out.same_kernels_cost);
  out.for_targets = out.same_kernels_cost - out.in_images;
  return out;
}

} // namespace culink
