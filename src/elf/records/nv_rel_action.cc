// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Known instances: toolkit 11.1 describes types 75 to 99, nvlink 13.0 the single type 115
// (CONST_FIELD22_37: 17 bits at 37 for the offset, 5 bits at 54 for the bank). The second header
// word was 0 in all of them.
#include "elf/records/nv_rel_action.h"

#include <fmt/format.h>

#include "support/bytes.h"

namespace culink::elf {

namespace {

constexpr u64 kRecordSize = sizeof(RelocationAction); // also the size of the header

} // namespace

RelocationActions decode_relocation_actions(ByteSpan section) {
  RelocationActions out;
  out.rest = section;
  if (section.size() >= kRecordSize) {
    out.has_header = true;
    out.first_type = load_le<u32>(section.data());
    out.reserved = load_le<u32>(section.data() + 4);
    if (out.reserved != 0)
      out.violations.push_back({4, fmt::format("the second word is {:#x}, not 0", out.reserved)});
    out.actions = load_rows<RelocationAction>(section.subspan(kRecordSize));
    out.rest = section.subspan(kRecordSize * (1 + out.actions.size()));
  }
  if (!out.rest.empty())
    out.violations.push_back({section.size() - out.rest.size(),
                              fmt::format("{} trailing bytes, a record has 8", out.rest.size())});
  return out;
}

std::vector<u8> encode_relocation_actions(const RelocationActions &section) {
  std::vector<u8> out;
  if (section.has_header) {
    append_le(out, section.first_type);
    append_le(out, section.reserved);
  }
  append_rows(out, section.actions);
  append_bytes(out, section.rest);
  return out;
}

} // namespace culink::elf
