// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The field of a relocation: the bits of a section that a row's pieces name. Only these bits are
// ever touched, and only when all of them lie inside the section.
#pragma once

#include <optional>

#include "arch/reloc.h"
#include "base/types.h"

namespace culink::arch {

struct FieldValue {
  u64 value = 0;
  u8 bank = 0; // for rows that write one

  friend bool operator==(const FieldValue &, const FieldValue &) = default;
};

// Whether every byte of the field is inside the section. True for a row without a field.
[[nodiscard]] bool field_inside(ByteSpan section, u64 offset, const RelocInfo &row);

// Stores the bits of `value` that the field has; RelocInfo::can_store says whether these are all.
// False, and nothing is written, if the field is not inside.
[[nodiscard]] bool store_field(MutableByteSpan section, u64 offset, const RelocInfo &row,
                               FieldValue value);

// The bits of the field at their positions in the value, zero elsewhere.
[[nodiscard]] std::optional<FieldValue> read_field(ByteSpan section, u64 offset,
                                                   const RelocInfo &row);

// The addend of an SHT_REL entry, which is the field's old content. A bank there is added to the
// symbol's bank, modulo 32.
[[nodiscard]] std::optional<FieldValue> implicit_addend(ByteSpan section, u64 offset,
                                                        const RelocInfo &row);

// The value that a relocation stores: value plus addend, both parts, wrapping as the fields do.
[[nodiscard]] FieldValue add(const RelocInfo &row, FieldValue symbol, FieldValue addend);

// Whether store_field would drop no set bit of `value`, taken as unsigned.
[[nodiscard]] bool field_holds(const RelocInfo &row, FieldValue value);

} // namespace culink::arch
