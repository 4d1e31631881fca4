// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Mercury capsules.
#include "elf/records/nv_capmerc.h"

#include "round_trip.h"
#include "targets.h"

using namespace culink;

int fuzz::nv_capmerc_fuzz(const u8 *data, size_t size) {
  const elf::Capsule capsule =
      fuzz::require_round_trip({data, size}, elf::decode_capsule, elf::encode_capsule);
  for (const elf::CapsuleRecord &record : capsule.records) {
    fuzz::require(record.instruction < capsule.instruction_count);
    fuzz::require(record.sass_count() <= 510);
  }
  return 0;
}
