// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Words of .nv.metadata.
#include "elf/records/nv_metadata.h"

#include "round_trip.h"
#include "targets.h"

using namespace culink;

int fuzz::nv_metadata_fuzz(const u8 *data, size_t size) {
  fuzz::require_round_trip({data, size}, elf::decode_metadata, elf::encode_rows<u32>);
  return 0;
}
