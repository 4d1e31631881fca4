// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Records of .nv.rel.action.
#include "elf/records/nv_rel_action.h"

#include "round_trip.h"

using namespace culink;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  fuzz::require_round_trip({data, size}, elf::decode_relocation_actions,
                           elf::encode_relocation_actions);
  return 0;
}
