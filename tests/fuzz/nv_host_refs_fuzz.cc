// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Name lists of host objects.
#include "elf/records/nv_host_refs.h"

#include "round_trip.h"
#include "targets.h"

using namespace culink;

int fuzz::nv_host_refs_fuzz(const u8 *data, size_t size) {
  const elf::NameList list =
      fuzz::require_round_trip({data, size}, elf::decode_names, elf::encode_names);
  for (const std::string_view name : list.names)
    fuzz::require(elf::module_id(name).id.size() <= name.size());
  return 0;
}
