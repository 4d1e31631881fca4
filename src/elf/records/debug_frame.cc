// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Splits call frame information into its records. A linker copies FDEs and only stores the
// addresses of their CIE and code, so the rest is not decoded.
#include "elf/records/debug_frame.h"

#include "support/bytes.h"

namespace culink::elf {

std::optional<std::vector<FrameRecord>> split_frames(ByteSpan section) {
  constexpr u64 kAddressSize = 8;
  std::vector<FrameRecord> out;
  for (u64 at = 0; at < section.size();) {
    const std::optional<ByteSpan> head = slice(section, at, kFrameAddress);
    if (!head || load_le<u32>(head->data()) != 0xffffffff)
      return std::nullopt;
    const u64 length = load_le<u64>(head->data() + kFrameLength);
    if (length < 8 || length > section.size() - at - kFrameCie)
      return std::nullopt;
    const u64 size = length + kFrameCie;
    out.push_back(
        {at, section.subspan(at, size), load_le<u64>(head->data() + kFrameCie) == ~u64{0}});
    if (!out.back().is_cie && size < kFrameAddress + kAddressSize)
      return std::nullopt;
    at += size;
  }
  return out;
}

} // namespace culink::elf
