// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads names and numbers without any alignment. A block beyond the end of the section ends the
// reading, because the next block cannot be found.
#include "elf/records/nv_registers.h"

#include <optional>

#include "support/bytes.h"

namespace culink::elf {

namespace {

// Reads one block at `at` and moves `at` to its end.
std::optional<RegisterBlock> read_registers(ByteSpan section, u64 &at) {
  constexpr u64 kBehindName = 12, kStart = 4, kEnd = 8;
  RegisterBlock out;
  out.offset = at;
  const std::optional<std::string_view> function = c_string_at(section, at);
  if (!function)
    return std::nullopt;
  out.function = *function;
  at += function->size() + 1;
  const std::optional<u32> count = load_at<u32>(section, at);
  if (!count)
    return std::nullopt;
  at += sizeof(u32);
  for (u32 i = 0; i < *count; ++i) {
    const std::optional<std::string_view> variable = c_string_at(section, at + sizeof(u32));
    if (!variable)
      return std::nullopt;
    at += sizeof(u32) + variable->size() + 1;
    const std::optional<ByteSpan> rest = slice(section, at, kBehindName);
    if (!rest)
      return std::nullopt;
    out.records.push_back({load_le<u32>(rest->data()), load_le<u32>(rest->data() + kStart),
                           load_le<u32>(rest->data() + kEnd), at + kStart});
    at += kBehindName;
  }
  out.bytes = section.subspan(out.offset, at - out.offset);
  return out;
}

} // namespace

std::vector<RegisterBlock> split_registers(ByteSpan section) {
  std::vector<RegisterBlock> out;
  for (u64 at = 0; at < section.size();) {
    std::optional<RegisterBlock> block = read_registers(section, at);
    if (!block)
      break;
    out.push_back(std::move(*block));
  }
  return out;
}

} // namespace culink::elf
