// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The mutators that know formats, for targets whose row in targets.h names their kind.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "../robustness/containers.h"
#include "support/types.h"

// libFuzzer's own mutations, which know what comparisons of the program looked for.
extern "C" size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);

namespace culink::fuzz {

using robustness::Random;

// The mutant in place of an input; one that does not fit is cut.
inline size_t give_back(const std::vector<u8> &mutant, u8 *data, size_t max_size) {
  const size_t size = std::min(mutant.size(), max_size);
  std::copy_n(mutant.begin(), size, data);
  return size;
}

inline std::vector<u8> bytes_of(ByteSpan bytes) {
  return {bytes.begin(), bytes.end()};
}

// The size of the file at the beginning of an input, behind which targets may have bytes of their
// own. All of it, if it is no ELF file with its tables at the end.
[[nodiscard]] size_t size_of_file(ByteSpan input);

// One to three changes to a file of any kind.
void mutate_file(std::vector<u8> &file, Random &random);

// Mutation::File (mutate_inputs.cc) and Mutation::Files (mutate_links.cc): return the new size.
size_t mutate_input(u8 *data, size_t size, size_t max_size, Random &random);
size_t cross_inputs(ByteSpan one, ByteSpan other, u8 *out, size_t max_size, Random &random);
size_t mutate_link(u8 *data, size_t size, size_t max_size, Random &random);
size_t cross_links(ByteSpan one, ByteSpan two, u8 *out, size_t max_size, Random &random);

} // namespace culink::fuzz
