// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// link_heap MAIN FILTER: how a link's heap grows. Links 50, 100, 200 and 400 pairs of objects,
// which are copies of the two given under other names, with one thread, and prints how often memory
// was allocated and how much at the highest moment. Both must grow with the number of objects and
// no faster: the exit status is 1 if they do. These are counts, the same on every machine; the
// image and the objects themselves are not counted.
#include <algorithm>
#include <array>
#include <cstdlib>

#include <fmt/format.h>

#include "counted_heap.h"
#include "culink/linker.h"
#include "support/mapped_file.h"

namespace {

using namespace culink;

struct Cost {
  u32 pairs = 0;
  size_t allocations = 0;
  size_t peak = 0;
};

// Doubling the objects may cost this much more than twice as much: tables grow in steps.
constexpr double kSlack = 1.15;

constexpr std::array<std::string_view, 6> kNames = {"total",     "smooth",   "samples_seen",
                                                    "block_sum", "filtered", "filter_taps"};

std::vector<u8> renamed(ByteSpan original, u32 number) {
  std::vector<u8> bytes(original.begin(), original.end());
  for (const std::string_view word : kNames) {
    const std::string other = fmt::format("{}{:0{}}", word[0], number, word.size() - 1);
    for (auto at = bytes.begin();
         (at = std::search(at, bytes.end(), word.begin(), word.end())) != bytes.end();)
      at = std::copy(other.begin(), other.end(), at);
  }
  return bytes;
}

Cost measure(u32 pairs, ByteSpan main, ByteSpan filter) {
  std::vector<std::vector<u8>> objects;
  LinkRequest request;
  request.target = "sm_90";
  request.options.threads = 1;
  for (u32 i = 0; i < pairs; ++i)
    for (const ByteSpan original : {main, filter})
      objects.push_back(renamed(original, i));
  for (const std::vector<u8> &object : objects)
    request.inputs.push_back(LinkInput::memory("object", object));
  bench::begin_counting();
  const LinkResult result = link(request);
  const bench::HeapCount heap = bench::counted();
  const Cost cost{pairs, heap.allocations, heap.peak};
  if (!result.ok())
    std::exit(2);
  return cost;
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 3)
    return 2;
  const auto main_file = MappedFile::open(argv[1]), filter_file = MappedFile::open(argv[2]);
  if (!main_file || !filter_file)
    return 2;
  fmt::print("| pairs of objects | allocations | peak heap |\n|---|---|---|\n");
  Cost last;
  bool linear = true;
  for (const u32 pairs : {50, 100, 200, 400}) {
    const Cost cost = measure(pairs, main_file->bytes(), filter_file->bytes());
    fmt::print("| {} | {} | {:.1f} MB |\n", pairs, cost.allocations,
               static_cast<double>(cost.peak) / 1e6);
    if (last.pairs != 0) {
      const double times = kSlack * pairs / last.pairs;
      linear =
          linear &&
          static_cast<double>(cost.allocations) <= times * static_cast<double>(last.allocations) &&
          static_cast<double>(cost.peak) <= times * static_cast<double>(last.peak);
    }
    last = cost;
  }
  if (!linear)
    fmt::print("the heap grows faster than the number of objects\n");
  return linear ? 0 : 1;
}
