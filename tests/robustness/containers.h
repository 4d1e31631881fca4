// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <vector>

#include "mutator.h"

namespace culink::robustness {

// Overwrites, copies or cuts some bytes, most often where files have their headers.
void damage_container(std::vector<u8> &bytes, Random &random);

// One change to a file of any kind that can be linked. A device object is damaged or changed in its
// structure; a member of a fatbin or an archive, or the fatbin of a host object, is changed in the
// same way and packed again, not always as it was; or members are left out, repeated, exchanged.
void mutate_input(std::vector<u8> &file, Random &random);

// Puts a part of another file into this one.
void cross_inputs(std::vector<u8> &file, ByteSpan other, Random &random);

} // namespace culink::robustness
