// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// .nv.compat (sm_90 and later): the requirements of a cubin for the machine that runs or finalizes
// it. It has the framing of .nv.info. Readable names: names.h.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "elf/records/attribute_records.h"

namespace culink::elf {

enum class CompatAttribute : u8 {
  Error = 0,
  Pad = 1,
  IsaClass = 2,
  InstTensormapV1 = 3,
  InstTcgen05MmaDeprecated = 4,
  InstTcgen05Mma = 5,
  EnableOpportunisticFinalization = 6,
  MercuryIsaMajorMinorVersion = 7, // major in the high byte of the half, minor in the low
  MercuryIsaPatchVersion = 8,
  CudaAcceleratorTarget = 9, // 1: built for the "a" variant of the architecture
  CanFastpathFinalize = 11,  // u64 mask, sized
  CudaInternalTarget = 12,   // since 13.4
  Unnamed13 = 13,            // since 13.3
  FinalizerVersion = 14,     // since 13.4
};

using CompatRecord = AttributeRecord<CompatAttribute>;
using CompatSection = AttributeSection<CompatAttribute>;

struct CompatRow {
  CompatAttribute attribute;
  RecordFormat format;
  u8 payload_size; // of sized records
};

// Returns every attribute with a known layout, ascending.
[[nodiscard]] std::span<const CompatRow> compat_rows();
[[nodiscard]] const CompatRow *compat_row(CompatAttribute attribute);

[[nodiscard]] CompatSection decode_compat(ByteSpan section);
[[nodiscard]] std::vector<u8> encode_compat(const CompatSection &section);

// Returns the number in a record: its header value, or a payload of up to 8 bytes as little-endian.
[[nodiscard]] std::optional<u64> compat_number(const CompatRecord &record);

// Like check_record of nv_info.h.
[[nodiscard]] std::optional<Violation> check_compat_record(const CompatRecord &record);

} // namespace culink::elf
