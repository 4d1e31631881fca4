// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Records of .nv.compat.
#include "elf/records/nv_compat.h"

#include "round_trip.h"
#include "targets.h"

using namespace culink;

int fuzz::nv_compat_fuzz(const u8 *data, size_t size) {
  const elf::CompatSection compat =
      fuzz::require_round_trip({data, size}, elf::decode_compat, elf::encode_compat);
  for (const elf::CompatRecord &record : compat.records) {
    static_cast<void>(elf::check_compat_record(record));
    fuzz::require(elf::compat_number(record).has_value() || record.payload.size() > 8);
  }
  return 0;
}
