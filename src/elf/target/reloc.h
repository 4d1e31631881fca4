// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The meaning of each relocation number, as rows. Two lists exist: R_CUDA_* for machine code and
// data, and R_MERCURY_* (from 0x10001) for the Mercury mirror of sm_100 and later.
//
// Whether a relocation is resolved depends on its symbol and its type, never on its section. The
// loader assigns the addresses of functions and of variables in global memory, so all relocations
// against these are kept. The linker itself lays out constant banks, shared memory and debug
// sections; a relocation against such symbols is resolved if its `resolver` is Linker.
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string_view>

#include "support/types.h"

namespace culink::arch {

enum class Resolver : u8 {
  Linker,         // resolved, unless the loader decides the symbol's address
  Loader,         // kept with every symbol of the output
  LoaderFunction, // kept, for functions only; it makes its function live
  LoaderOrError,  // kept for functions and global variables, refused for anything else
  Nobody,         // kept for functions and global variables, dropped for anything else
  Clear,          // the field becomes 0 if the function is discarded; dropped if it is live
};

enum class ValueKind : u8 {
  Address,     // symbol + addend
  Generic,     // symbol + addend, as a generic address
  Descriptor,  // of a function, made by the loader
  Unified,     // symbol + addend; an executable has the plain type (`kept_as`) instead
  BankOffset,  // symbol + addend within its constant bank, and the bank's number
  AddendOnly,  // independent of the symbol's address
  HeaderIndex, // of a texture, sampler or surface, assigned by the loader
  PcRelative,  // symbol + addend - address of the field
  Instruction, // a patch of the instruction itself
  CodeAddress, // own function + an offset that differs between Mercury and SASS
  CodeOffset,  // the same offset alone
  Zero,        // see Resolver::Clear
  Unknown,     // a number that was never observed in use
};
inline constexpr u32 kValueKinds = static_cast<u32>(ValueKind::Unknown) + 1;

// The treatment of a relocation against a texture, sampler or surface symbol.
enum class ImageAction : u8 {
  Keep,
  Slot,      // the symbol gets a 4-byte slot after the kernel's parameters; the value is its offset
  ZeroValue, // resolved with 0 as the symbol's value
  Refuse,
  NullSymbol, // kept as number 0 without a symbol
};

// The evidence for the field's bits.
enum class Evidence : u8 {
  Measured,  // nvlink wrote them in an experiment
  Described, // a .nv.rel.action section of toolkit 11 says so
  Inferred,  // from the name or the encoding of the instruction; no tool we ran writes them
};

enum class PieceSource : u8 { Value, Bank };

// Bits [value_bit, value_bit + width) of the value, or of the bank number, are stored in bits
// [word_bit, word_bit + width) of the little-endian word at r_offset. The word may start at any
// byte.
struct RelocPiece {
  u8 value_bit = 0;
  u8 word_bit = 0;
  u8 width = 0; // 0: no piece
  PieceSource source = PieceSource::Value;
};

// The R_CUDA_* numbers on the SASS side that correspond to a Mercury relocation; 0: none.
struct SassNumbers {
  u8 code = 0;
  u8 data = 0;
  u8 operand = 0; // where the field is a constant-bank operand
  u8 kernel = 0;  // where the symbol is a kernel
  u8 uft = 0;     // where the symbol is __UFT_OFFSET
};

struct RelocInfo {
  u32 number;
  std::string_view name;
  Resolver resolver;
  ValueKind value;
  ImageAction image;
  std::array<RelocPiece, 3> pieces;
  Evidence evidence = Evidence::Measured;
  u32 kept_as = 0;                  // the number in an executable; 0: unchanged
  bool image_kept_by_r = false;     // -r keeps it against an image, up to sm_90; others take 0
  bool rel_addend_in_place = false; // in SHT_REL the addend is the field itself, not shifted back
  SassNumbers sass = {};
  u8 field_bytes = static_cast<u8>((word_bits() + 7) / 8); // up to the end of the last piece
  u8 range_bits = find_range_bits(); // width of the values that the field can hold; 0: any value
  u8 step_bits = range_bits == 0 ? u8{0} : pieces[0].value_bit; // low bits that have to be 0

  [[nodiscard]] u32 number_in_executable() const { return kept_as ? kept_as : number; }
  [[nodiscard]] bool has_field() const { return pieces[0].width != 0; }
  [[nodiscard]] bool writes_bank() const;
  // True if storing preserves the value, signed or unsigned: offsets may be negative.
  [[nodiscard]] constexpr bool can_store(u64 stored) const {
    if (range_bits == 0)
      return true;
    const bool fits =
        (stored >> range_bits) == 0 || (static_cast<i64>(stored) >> (range_bits - 1)) == -1;
    return fits && (stored & ((u64{1} << step_bits) - 1)) == 0;
  }
  // Returns the largest value that the field can hold, plus 1; 0: any value fits.
  [[nodiscard]] constexpr u64 range_end() const {
    return range_bits == 0 ? 0 : u64{1} << range_bits;
  }
  // True if the field holds a part of an address, a half or a byte, and other fields hold the rest.
  [[nodiscard]] constexpr bool is_part() const {
    return name.find("_LO") != name.npos || name.find("_HI") != name.npos ||
           (pieces[0].width == 8 && pieces[0].word_bit == 0);
  }
  [[nodiscard]] constexpr u8 find_range_bits() const {
    u32 end = 0;
    for (const RelocPiece &piece : pieces)
      if (piece.width != 0 && piece.source == PieceSource::Value)
        end = std::max<u32>(end, piece.value_bit + piece.width);
    return is_part() || end >= 64 ? u8{0} : static_cast<u8>(end);
  }
  // Returns the number of bits of the word up to the end of the last piece: up to 64, or up to 128.
  [[nodiscard]] constexpr u32 word_bits() const {
    u32 end = 0;
    for (const RelocPiece &piece : pieces)
      end = std::max<u32>(end, piece.width == 0 ? 0 : piece.word_bit + piece.width);
    return end;
  }
};

inline constexpr u32 kRelocNone = 0; // not a relocation; it has no row
inline constexpr u32 kFirstMercuryReloc = 0x10001;

[[nodiscard]] std::span<const RelocInfo> cuda_relocs();
[[nodiscard]] std::span<const RelocInfo> mercury_relocs();

// Returns the row of a number in either list, or null.
[[nodiscard]] const RelocInfo *find_reloc(u32 number);

// Finds the row of a name, with or without R_CUDA_; Mercury names need their prefix.
[[nodiscard]] const RelocInfo *find_reloc(std::string_view name);

// Relocations by role, so that passes do not contain numbers.

// The form of the code to which a relocation belongs.
enum class Plane : u8 { Sass, Mercury };

enum class ImageKind : u8 { Texture, Sampler, Surface };

// Returns the relocation by which the loader stores the index of an image into its slot.
[[nodiscard]] const RelocInfo &image_slot_reloc(ImageKind kind, Plane plane);

enum class RelocRole : u8 {
  CodeAddress, // debug information of SASS: the address of a function
  ImageIndex,  // code compiled with -G: the number of an image's slot, as an operand (Q112)
  ImageBase,   // the offset of the first slot in bank 0, in the load beside it
  NewestField, // a field that loaders may not know, so .nv.rel.action describes it
};

[[nodiscard]] const RelocInfo &reloc_for(RelocRole role);

// True if the field has 16 bits in a capsule (Mercury code beside SASS) instead of 32.
[[nodiscard]] bool is_short_in_capsule(const RelocInfo &row);

// The field of a relocation consists of the bits of a section in a row's pieces. Only these bits
// are accessed, and only if all of them lie inside the section.

struct FieldValue {
  u64 value = 0;
  u8 bank = 0; // for rows that write a bank

  friend bool operator==(const FieldValue &, const FieldValue &) = default;
};

// True if every byte of the field is inside the section. True for a row without a field.
[[nodiscard]] bool field_inside(ByteSpan section, u64 offset, const RelocInfo &row);

// Stores the bits of `value` that belong to the field; RelocInfo::can_store checks whether any bit
// is lost. Returns false without writing if the field is not inside the section.
[[nodiscard]] bool store_field(MutableByteSpan section, u64 offset, const RelocInfo &row,
                               FieldValue value);

// Returns the bits of the field at their positions in the value; other bits are zero.
[[nodiscard]] std::optional<FieldValue> read_field(ByteSpan section, u64 offset,
                                                   const RelocInfo &row);

// Returns the addend of an SHT_REL entry, which is the field's old content. A bank there is added
// to the symbol's bank, modulo 32.
[[nodiscard]] std::optional<FieldValue> implicit_addend(ByteSpan section, u64 offset,
                                                        const RelocInfo &row);

// Returns the value to store: value plus addend, for address and bank, each wrapping like its
// field.
[[nodiscard]] FieldValue add(const RelocInfo &row, FieldValue symbol, FieldValue addend);

// True if store_field would drop no set bit of `value`, taken as unsigned.
[[nodiscard]] bool field_holds(const RelocInfo &row, FieldValue value);

} // namespace culink::arch
