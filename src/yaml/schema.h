// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The keys of the minimal form (docs/text-format.md), and the defaults that describe omits and
// assemble restores. The rules of the exact form are in yaml/headers.h.
#pragma once

#include <array>
#include <string_view>

#include "support/bytes.h"
#include "yaml/row_io.h"

namespace culink::text {

inline constexpr std::array<std::string_view, 10> kMinimalKeys = {
    "arch",    "type",      "virtual_arch", "toolkit",   "functions",
    "globals", "constants", "shared",       "undefined", "attributes"};

inline constexpr std::array<std::string_view, 16> kFunctionKeys = {
    "name",   "kernel",    "bind",          "registers", "frame",     "barriers",
    "params", "code",      "relocs",        "calls",     "constants", "indirect_calls",
    "shared", "prototype", "address_taken", "attributes"};

inline constexpr std::array<std::string_view, 8> kVariableKeys = {
    "name", "size", "align", "data", "bind", "managed", "common", "relocs"};

// Shared variables, of a function, or of the module if device functions use them.
inline constexpr std::array<std::string_view, 4> kSharedKeys = {"name", "size", "align", "bind"};

inline constexpr std::array<std::string_view, 7> kUndefinedKeys = {
    "name", "type", "bind", "size", "align", "other", "prototype"};

// Default values of a function.
inline constexpr u32 kDefaultRegisters = 16;
inline constexpr u32 kDefaultToolkit = 130;   // 13.0
inline constexpr u32 kNoRegisterLimit = 0xff; // MAXREG_COUNT
inline constexpr u32 kIsaVersion = 0x101;     // MERCURY_ISA_VERSION, sm_90 and later

// Returns the default alignment of a variable: the largest power of two that divides its size, up
// to 16.
[[nodiscard]] constexpr u64 natural_align(u64 size) {
  u64 align = 16;
  while (align > 1 && size % align != 0)
    align /= 2;
  return size == 0 ? 1 : align;
}

// A kernel parameter. `end` is the end of the previous parameter.
struct ParameterRow {
  u64 end = 0;
  elf::InfoKernelParameter parameter = {.cbank = 0x1f};
};
template <class Io> void fields(Io &io, ParameterRow &row) {
  elf::InfoKernelParameter &p = row.parameter;
  constexpr elf::FieldForm kDecimal = elf::FieldForm::Decimal;
  io.number("size", p.size, {kDecimal, elf::FieldRule::Stated, 0, 0x3fff});
  io.number("offset", p.offset, unless(align_up(row.end, natural_align(p.size))));
  io.number("align", p.pointee_alignment, unless(0, kDecimal));
  io.number("space", p.space, {kDecimal, elf::FieldRule::Optional, 0, 15});
}

} // namespace culink::text
