// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Entries of .nv.uft.entry and .nv.udt.entry.
#include "elf/records/nv_unified.h"

#include "round_trip.h"
#include "targets.h"

using namespace culink;

int fuzz::nv_unified_fuzz(const u8 *data, size_t size) {
  const elf::UnifiedSection section = fuzz::require_round_trip(
      {data, size}, elf::decode_unified_entries, elf::encode_rows<elf::UnifiedEntry>);
  fuzz::require(section.records.size() == size / elf::kUnifiedEntrySize);
  return 0;
}
