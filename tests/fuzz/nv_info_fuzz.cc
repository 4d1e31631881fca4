// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Records of .nv.info: framing, typed values, symbol words.
#include "elf/records/nv_info.h"

#include "round_trip.h"
#include "targets.h"

using namespace culink;

int fuzz::nv_info_fuzz(const u8 *data, size_t size) {
  const elf::InfoSection info =
      fuzz::require_round_trip({data, size}, elf::decode_info, elf::encode_info);
  for (const elf::InfoRecord &record : info.records) {
    static_cast<void>(elf::check_record(record));
    fuzz::require(u64{elf::symbol_word_count(record)} * 4 <= record.payload.size());
    const elf::InfoValue value = elf::decode_value(record);
    if (record.sized())
      fuzz::require(std::ranges::equal(elf::encode_payload(value), record.payload));
  }
  return 0;
}
