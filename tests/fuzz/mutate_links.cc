// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The mutator of links: changes one of the two files, exchanges them, packs the second one into a
// fatbin, host object or archive, or chooses other options.
#include "../unit/host_file.h"
#include "custom_mutator.h"
#include "elf/elf_view.h"
#include "elf/target/elf_flags.h"
#include "link_input.h"

using namespace culink;

namespace {

constexpr u64 kMostChanges = 3;

std::vector<u8> pack(const std::vector<u8> &object, fuzz::Random &random) {
  constexpr std::array<Compression, 3> kWays = {Compression::None, Compression::Lz4,
                                                Compression::Zstd};
  test::Member member{.payload = {object.begin(), object.end()},
                      .how = kWays[random.below(kWays.size())]};
  if (const Result<elf::ElfView> view = elf::ElfView::open_tolerant(object)) {
    const elf::FileHeader &header = view->header();
    member.sm = arch::decode_elf_target(header).sm;
  }
  const test::Bytes fatbin = test::container({member});
  if (random.one_in(3))
    return fatbin;
  const test::Bytes host = test::rdc_object("_id", fatbin).build64();
  return random.one_in(2) ? host : test::archive_of({{"a.o", host}});
}

} // namespace

size_t fuzz::mutate_link(u8 *data, size_t size, size_t max_size, Random &random) {
  if (size == 0 || random.one_in(4))
    return LLVMFuzzerMutate(data, size, max_size);
  const fuzz::SplitInput input = fuzz::split_input({data, size});
  std::vector<u8> first = fuzz::bytes_of(input.first), second = fuzz::bytes_of(input.second);
  u8 options = input.options;
  if (second.empty()) // an object that may have been cut out of a pair
    first.resize(fuzz::size_of_file(first));
  for (u64 changes = 1 + random.below(kMostChanges); changes > 0; --changes)
    switch (random.below(12)) {
    case 0:
    case 1:
      options = static_cast<u8>(random.next());
      break;
    case 2:
      std::swap(first, second);
      break;
    case 3:
      if (!second.empty())
        second = pack(second, random);
      break;
    case 4:
      second = first;
      break;
    case 5:
    case 6:
    case 7:
      if (!second.empty()) {
        robustness::mutate_input(second, random);
        break;
      }
      [[fallthrough]];
    default:
      if (!first.empty())
        robustness::mutate_input(first, random);
    }
  if (first.empty())
    std::swap(first, second);
  return fuzz::give_back(fuzz::join_input(first, second, options), data, max_size);
}

// Objects of two inputs in one link.
size_t fuzz::cross_links(ByteSpan one, ByteSpan two, u8 *out, size_t max_size, Random &random) {
  const SplitInput a = split_input(one);
  const SplitInput b = split_input(two);
  std::vector<u8> first = bytes_of(a.first);
  const ByteSpan other = b.second.empty() || random.one_in(2) ? b.first : b.second;
  if (random.one_in(2))
    return give_back(join_input(first, other, a.options), out, max_size);
  robustness::cross_inputs(first, other, random);
  return give_back(join_input(first, a.second, b.options), out, max_size);
}
