// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/bytes.h"
#include "elf/records/nv_info.h"

namespace culink {

// Calls `use` with the bytes of each record of a section whose framing has been checked: only that
// it ends inside the section is asked again.
template <typename Use> void for_each_record(ByteSpan section, Use use) {
  const u8 *record = section.data();
  for (u64 left = section.size(); left >= elf::kRecordHeaderSize;) {
    const u32 word = load_le<u32>(record);
    const bool sized = (word & 0xff) == static_cast<u32>(elf::RecordFormat::Sized);
    const u64 size = elf::kRecordHeaderSize + (sized ? word >> 16 : 0);
    if (size > left)
      return;
    use(ByteSpan(record, size));
    record += size;
    left -= size;
  }
}

} // namespace culink
