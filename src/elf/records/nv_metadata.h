// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// .nv.metadata. No toolkit that was available writes it; descriptions speak of records of three
// words followed by free data, without saying how the data's length is known. The section is read
// as words, and so can be written back.
#pragma once

#include <vector>

#include "elf/codec.h"

namespace culink::elf {

struct MetadataSection {
  std::vector<u32> words;
  ByteSpan rest;
  std::vector<Violation> violations;
};

[[nodiscard]] MetadataSection decode_metadata(ByteSpan section);
[[nodiscard]] std::vector<u8> encode_metadata(const MetadataSection &section);

} // namespace culink::elf
