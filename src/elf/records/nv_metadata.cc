// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// .nv.metadata as a list of words. unproven: that the section is word-aligned; a remainder is
// reported and kept.
#include "elf/records/nv_metadata.h"

#include <fmt/format.h>

#include "base/bytes.h"

namespace culink::elf {

MetadataSection decode_metadata(ByteSpan section) {
  MetadataSection out;
  u64 at = 0;
  for (; section.size() - at >= sizeof(u32); at += sizeof(u32))
    out.words.push_back(load_le<u32>(section.data() + at));
  out.rest = section.subspan(at);
  if (!out.rest.empty())
    out.violations.push_back({at, fmt::format("{} bytes after the last word", out.rest.size())});
  return out;
}

std::vector<u8> encode_metadata(const MetadataSection &section) {
  std::vector<u8> out;
  for (const u32 word : section.words)
    append_le(out, word);
  append_bytes(out, section.rest);
  return out;
}

} // namespace culink::elf
