// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <vector>

#include "mutator.h"

namespace culink::robustness {

// One change that leaves a device object readable: a field of a symbol, relocation, record, call or
// note gets a value that another one has, or there is one more or one fewer of them. What an object
// of sm_100 and later says twice is changed in both places. False: nothing was found to change.
[[nodiscard]] bool change_structure(std::vector<u8> &object, Random &random);

// One to three such changes of `originals[which]`; some take contents from another original.
[[nodiscard]] Mutant make_structured_mutant(const std::vector<Original> &originals, u64 which,
                                            Random &random);

// Gives a section of `object` the contents of the section of that name in `other`.
[[nodiscard]] bool transplant_section(std::vector<u8> &object, ByteSpan other, Random &random);

} // namespace culink::robustness
