// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The entry lists of unified functions and data: plain records of 32 bytes.
#include "elf/records/nv_unified.h"

#include <fmt/format.h>

#include "base/bytes.h"

namespace culink::elf {

UnifiedSection decode_unified_entries(ByteSpan section) {
  UnifiedSection out;
  u64 at = 0;
  for (; section.size() - at >= kUnifiedEntrySize; at += kUnifiedEntrySize) {
    const u8 *p = section.data() + at;
    out.entries.push_back({load_le<u32>(p), load_le<u32>(p + 4), load_le<u64>(p + 8),
                           load_le<u64>(p + 16), load_le<u64>(p + 24)});
  }
  out.rest = section.subspan(at);
  if (!out.rest.empty())
    out.violations.push_back(
        {at, fmt::format("{} trailing bytes, an entry has 32", out.rest.size())});
  return out;
}

std::vector<u8> encode_unified_entries(const UnifiedSection &section) {
  std::vector<u8> out;
  for (const UnifiedEntry &entry : section.entries) {
    append_le(out, entry.symbol);
    append_le(out, entry.flags);
    append_le(out, entry.offset);
    append_le(out, entry.uuid_low);
    append_le(out, entry.uuid_high);
  }
  append_bytes(out, section.rest);
  return out;
}

} // namespace culink::elf
