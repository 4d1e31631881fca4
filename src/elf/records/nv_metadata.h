// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// .nv.metadata. No toolkit that was available writes it; descriptions speak of records of three
// words followed by free data, without saying how the data's length is known. The section is read
// as words, and so can be written back.
#pragma once

#include <vector>

#include "elf/codec.h"

namespace culink::elf {

using MetadataSection = RowSection<u32>;

// unproven: that the section is word-aligned; a remainder is reported and kept.
[[nodiscard]] inline MetadataSection decode_metadata(ByteSpan section) {
  return decode_rows<u32>(section, "bytes after the last word");
}

} // namespace culink::elf
