// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Mercury capsules.
#include "elf/records/nv_capmerc.h"

#include "round_trip.h"

using namespace culink;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const elf::Capsule capsule =
      fuzz::require_round_trip({data, size}, elf::decode_capsule, elf::encode_capsule);
  for (const elf::CapsuleRecord &record : capsule.records) {
    fuzz::require(record.instruction < capsule.instruction_count);
    fuzz::require(record.sass_count() <= 510);
  }
  return 0;
}
