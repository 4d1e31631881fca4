// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The mutator of targets whose input is one file: a third of the mutants are libFuzzer's, the
// others are changed in their structure. Bytes behind the file are the target's own and change
// apart.
#include "custom_mutator.h"

using namespace culink;

size_t fuzz::mutate_input(u8 *data, size_t size, size_t max_size, Random &random) {
  const ByteSpan input(data, size);
  if (size == 0 || random.one_in(3))
    return LLVMFuzzerMutate(data, size, max_size);
  const size_t end = fuzz::size_of_file(input);
  std::vector<u8> file = fuzz::bytes_of(input.first(end));
  std::vector<u8> tail = fuzz::bytes_of(input.subspan(end));
  if (random.one_in(8))
    for (u64 more = random.below(24); more > 0; --more)
      tail.push_back(static_cast<u8>(random.next()));
  else if (!tail.empty() && random.one_in(4))
    tail[random.below(tail.size())] = static_cast<u8>(random.next());
  else
    fuzz::mutate_file(file, random);
  file.insert(file.end(), tail.begin(), tail.end());
  return fuzz::give_back(file, data, max_size);
}

size_t fuzz::cross_inputs(ByteSpan one, ByteSpan other, u8 *out, size_t max_size, Random &random) {
  std::vector<u8> file = bytes_of(one);
  robustness::cross_inputs(file, other, random);
  return give_back(file, out, max_size);
}
