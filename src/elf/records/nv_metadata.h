// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// .nv.metadata. No available toolkit writes it. Descriptions have records of three words
// followed by data of a length that they do not define. The section is read as words, so it can be
// written back.
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
