// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// .nv.rel.action (executables up to sm_90): how to apply relocation types that the loader may not
// know. A header names the first type, one record of 8 bytes describes each type from there on.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "elf/codec.h"

namespace culink::elf {

// The kind of value of a relocation. Other numbers are carried.
enum class RelocationValueKind : u8 {
  Address = 0,
  GenericAddress = 1,
  FunctionDescriptor = 2,
  HeaderIndex = 3,
};

// The value, shifted right by `shift`, is stored in `width` bits at `position` of the instruction
// word.
// A width of 0 means that the record does not use the field.
struct RelocationField {
  u8 shift = 0;
  u8 width = 0;
  u8 position = 0;
  friend bool operator==(const RelocationField &, const RelocationField &) = default;
};

struct RelocationAction {
  RelocationValueKind kind = RelocationValueKind::Address;
  u8 mode = 0; // 2 where the value is split over both fields; else 0
  std::array<RelocationField, 2> fields;
  friend bool operator==(const RelocationAction &, const RelocationAction &) = default;
};
static_assert(sizeof(RelocationAction) == 8);

struct RelocationActions {
  bool has_header = false; // false only for a section of less than 8 bytes
  u32 first_type = 0;
  u32 reserved = 0;
  std::vector<RelocationAction> actions; // of types first_type, first_type + 1, ...
  ByteSpan rest;
  std::vector<Violation> violations;
};

[[nodiscard]] RelocationActions decode_relocation_actions(ByteSpan section);
[[nodiscard]] std::vector<u8> encode_relocation_actions(const RelocationActions &section);

} // namespace culink::elf
