// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a relocation of an input has to have become.
#pragma once

#include "elf/target/reloc.h"
#include "verify/link/link.h"

namespace culink::check {

// What the symbol of a relocation stands for.
enum class TargetKind : u8 {
  Function,
  Memory,          // global memory, or anything that the next link places
  UndefinedObject, // what the driver defines
  Known,           // a constant, a shared variable, a place in a joined section
  Nothing,         // a label without a location
  GoneFunction,    // not part of the output, or undefined and weak
  GoneData,
  Image,
  UnifiedTable, // __UFT, __UDT
  Ignored,
};

struct Target {
  TargetKind kind = TargetKind::Nothing;
  bool unknown = false; // no field and no symbol of the output shows the value
  u8 bank = 0;
  u32 symbol = 0; // of the output
  u64 value = 0;
  u64 shift = 0; // of a section's part in the output: counts as part of the addend
};

// `node` is the function whose code the relocation is in, or kNone.
[[nodiscard]] Target target_of(const Link &link, u32 object, u32 symbol, u32 node);

enum class Treatment : u8 {
  Dropped, // no trace; the bytes are those of the input
  Kept,
  KeptAsNone, // as number 0 without a symbol
  Folded,
  Cleared,
  Anything, // nobody knows what it means
};

[[nodiscard]] Treatment treatment_of(const Link &link, const Target &target, u32 type,
                                     const arch::RelocInfo *row);

// Whether nobody reads what a field holds: an engine that makes relocatable files, nvlink -r,
// stores values into fields of relocations that it keeps, which is harmless where those have
// addends.
[[nodiscard]] bool is_filled_by_engine(const Link &link, Treatment treatment, bool rela);

// Whether a value can be stored in an operand's field without loss.
[[nodiscard]] bool fits(const arch::RelocInfo &row, u64 value);

[[nodiscard]] bool is_image(elf::SymbolType type);

// Where `MOV R, index; LDC R, c[0][R + base]` loads the number of an image: code compiled with -G
// has the index of a slot in the relocated field and where slots begin in the load, without a
// relocation (Q112). Nothing for any other relocation.
[[nodiscard]] std::optional<u64> load_of_index(ByteSpan code, u64 offset,
                                               const arch::RelocInfo &row);
// The begin of the slots that such a load has.
[[nodiscard]] u64 begin_of_slots(ByteSpan code, u64 load);

// The bank that a field names for a section of that type.
[[nodiscard]] constexpr u8 bank_of(elf::SectionType type) {
  return static_cast<u8>(
      (static_cast<u32>(type) - static_cast<u32>(elf::SectionType::CudaConstantB0)) & 31);
}
// The same for a section of an input.
[[nodiscard]] inline u8 bank_of(const Object &file, u32 section) {
  return bank_of(elf::type_in_objects(file.kinds[section], file.section(section).type));
}

} // namespace culink::check
