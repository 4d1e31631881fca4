// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Records of .nv.rel.action.
#include "elf/records/nv_rel_action.h"

#include "round_trip.h"
#include "targets.h"

using namespace culink;

int fuzz::nv_rel_action_fuzz(const u8 *data, size_t size) {
  fuzz::require_round_trip({data, size}, elf::decode_relocation_actions,
                           elf::encode_relocation_actions);
  return 0;
}
