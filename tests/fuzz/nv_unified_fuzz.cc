// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Entries of .nv.uft.entry and .nv.udt.entry.
#include "elf/records/nv_unified.h"

#include "round_trip.h"

using namespace culink;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const elf::UnifiedSection section = fuzz::require_round_trip(
      {data, size}, elf::decode_unified_entries, elf::encode_rows<elf::UnifiedEntry>);
  fuzz::require(section.records.size() == size / elf::kUnifiedEntrySize);
  return 0;
}
