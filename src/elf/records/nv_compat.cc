// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// .nv.compat on top of the shared framing. The formats in the table are those of ptxas and nvlink
// 13.0 to 13.4; other formats are reported but also read.
#include "elf/records/nv_compat.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>

namespace culink::elf {

namespace {

using F = RecordFormat;

constexpr std::array kCompatRows = {
    CompatRow{CompatAttribute::IsaClass, F::Byte, 0},
    CompatRow{CompatAttribute::InstTensormapV1, F::Byte, 0},
    CompatRow{CompatAttribute::InstTcgen05Mma, F::Byte, 0},
    CompatRow{CompatAttribute::EnableOpportunisticFinalization, F::Byte, 0},
    CompatRow{CompatAttribute::MercuryIsaMajorMinorVersion, F::Half, 0},
    CompatRow{CompatAttribute::CudaAcceleratorTarget, F::Byte, 0},
    CompatRow{CompatAttribute::CanFastpathFinalize, F::Sized, 8},
    CompatRow{CompatAttribute::CudaInternalTarget, F::Byte, 0},
    CompatRow{CompatAttribute::Unnamed13, F::Half, 0},
    CompatRow{CompatAttribute::FinalizerVersion, F::Half, 0},
};
static_assert(std::ranges::is_sorted(kCompatRows, {}, &CompatRow::attribute));

} // namespace

std::span<const CompatRow> compat_rows() {
  return kCompatRows;
}

const CompatRow *compat_row(CompatAttribute attribute) {
  const auto it = std::ranges::find(kCompatRows, attribute, &CompatRow::attribute);
  return it != kCompatRows.end() ? &*it : nullptr;
}

CompatSection decode_compat(ByteSpan section) {
  return decode_attributes<CompatAttribute>(section);
}

std::vector<u8> encode_compat(const CompatSection &section) {
  return encode_attributes(section);
}

std::optional<u64> compat_number(const CompatRecord &record) {
  if (!record.sized())
    return record.value;
  if (record.payload.size() > 8)
    return std::nullopt;
  u64 number = 0;
  for (size_t i = 0; i < record.payload.size(); ++i)
    number |= u64{record.payload[i]} << (8 * i);
  return number;
}

std::optional<Violation> check_compat_record(const CompatRecord &record) {
  const CompatRow *row = compat_row(record.attribute);
  if (!row)
    return std::nullopt;
  const u8 code = static_cast<u8>(record.attribute);
  if (record.format != row->format)
    return Violation{record.offset,
                     fmt::format("attribute {} has format {}, usually {}", code,
                                 static_cast<u8>(record.format), static_cast<u8>(row->format))};
  if (record.sized() && record.payload.size() != row->payload_size)
    return Violation{record.offset, fmt::format("a payload of {} bytes does not fit attribute {}",
                                                record.payload.size(), code)};
  return std::nullopt;
}

} // namespace culink::elf
