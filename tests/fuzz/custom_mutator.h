// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the custom mutators share. A target names its mutator in a line "// Mutator: <file>.".
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

} // namespace culink::fuzz
