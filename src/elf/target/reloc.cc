// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lookup of relocation rows. Names are only looked up when text is read, so a scan over 178 rows is
// fast enough. The roles of relocations, for linkers that add or search them, are separate rows and
// not columns, because few numbers have a role.
#include "elf/target/reloc.h"

#include <algorithm>

#include "support/bytes.h"

namespace culink::arch {

namespace {

constexpr std::string_view kCudaPrefix = "R_CUDA_";

struct SlotRow {
  ImageKind kind;
  u32 sass;
  u32 mercury;
};

// Slots that were laid out for Mercury code have numbers in the SASS plane that differ from those
// of targets without Mercury code: SassNumbers::data of their row.
constexpr std::array<SlotRow, 3> kSlots{{
    {ImageKind::Texture, 6, 0x1000b},
    {ImageKind::Sampler, 7, 0x1000c},
    {ImageKind::Surface, 52, 0x1000d},
}};

struct RoleRow {
  RelocRole role;
  u32 number;
};

constexpr std::array<RoleRow, 4> kRoles{{
    {RelocRole::CodeAddress, 2}, // R_CUDA_64
    {RelocRole::ImageIndex, 59}, // R_CUDA_ABS16_32
    {RelocRole::ImageBase, 66},  // R_CUDA_CONST_FIELD21_38
    {RelocRole::NewestField, 115},
}};

// R_CUDA_ABS16_32, R_CUDA_CONST_FIELD19_40, R_CUDA_CONST_FIELD21_38.
constexpr std::array<u32, 3> kShortInCapsule = {59, 64, 66};

constexpr bool in_order_of_enums() {
  for (u32 i = 0; i < kSlots.size(); ++i)
    if (kSlots[i].kind != static_cast<ImageKind>(i))
      return false;
  for (u32 i = 0; i < kRoles.size(); ++i)
    if (kRoles[i].role != static_cast<RelocRole>(i))
      return false;
  return true;
}
static_assert(in_order_of_enums());

} // namespace

bool RelocInfo::writes_bank() const {
  return std::any_of(pieces.begin(), pieces.end(), [](const RelocPiece &piece) {
    return piece.width != 0 && piece.source == PieceSource::Bank;
  });
}

const RelocInfo *find_reloc(u32 number) {
  const bool mercury = number >= kFirstMercuryReloc;
  const std::span<const RelocInfo> rows = mercury ? mercury_relocs() : cuda_relocs();
  const u32 index = number - (mercury ? kFirstMercuryReloc : 1); // 0 wraps, out of range
  return index < rows.size() ? &rows[index] : nullptr;
}

const RelocInfo *find_reloc(std::string_view name) {
  for (const RelocInfo &row : cuda_relocs())
    if (row.name == name || row.name.substr(kCudaPrefix.size()) == name)
      return &row;
  for (const RelocInfo &row : mercury_relocs())
    if (row.name == name)
      return &row;
  return nullptr;
}

const RelocInfo &image_slot_reloc(ImageKind kind, Plane plane) {
  const SlotRow &row = kSlots[static_cast<u32>(kind)];
  return *find_reloc(plane == Plane::Mercury ? row.mercury : row.sass);
}

const RelocInfo &reloc_for(RelocRole role) {
  return *find_reloc(kRoles[static_cast<u32>(role)].number);
}

bool is_short_in_capsule(const RelocInfo &row) {
  return std::find(kShortInCapsule.begin(), kShortInCapsule.end(), row.number) !=
         kShortInCapsule.end();
}

// Stores a value through a relocation's pieces. A field may start at any byte and a piece at any
// bit of up to 128, so pieces are stored byte by byte: at most nine steps for 64 bits. So no word
// is loaded beyond the end of the section, and bytes outside the field are never written. This
// matters because a one-byte field may be the last byte of a section.

namespace {

// Calls `step(byte index, shift in byte, bits, shift in value)` for each byte a piece touches.
template <typename Step> void for_each_byte(const RelocPiece &piece, Step step) {
  u32 done = 0;
  while (done < piece.width) {
    const u32 bit = piece.word_bit + done;
    const u32 bits = std::min<u32>(8 - bit % 8, piece.width - done);
    step(bit / 8, bit % 8, bits, piece.value_bit + done);
    done += bits;
  }
}

constexpr u64 low_bits(u32 count) {
  return count >= 64 ? ~u64{0} : (u64{1} << count) - 1;
}

} // namespace

bool field_inside(ByteSpan section, u64 offset, const RelocInfo &row) {
  return slice(section, offset, row.field_bytes).has_value();
}

bool store_field(MutableByteSpan section, u64 offset, const RelocInfo &row, FieldValue value) {
  if (!field_inside(section, offset, row))
    return false;
  u8 *word = section.data() + offset;
  for (const RelocPiece &piece : row.pieces) {
    const u64 source = piece.source == PieceSource::Bank ? value.bank : value.value;
    if (piece.width == 32 && piece.word_bit % 8 == 0) { // half an address, the most frequent case
      store_le(word + piece.word_bit / 8, static_cast<u32>(source >> piece.value_bit));
      continue;
    }
    if (piece.width == 64 && piece.word_bit % 8 == 0) {
      store_le(word + piece.word_bit / 8, source >> piece.value_bit);
      continue;
    }
    for_each_byte(piece, [word, source](u32 byte, u32 shift, u32 bits, u32 from) {
      const u64 mask = low_bits(bits) << shift;
      word[byte] = static_cast<u8>((word[byte] & ~mask) | (((source >> from) << shift) & mask));
    });
  }
  return true;
}

std::optional<FieldValue> read_field(ByteSpan section, u64 offset, const RelocInfo &row) {
  if (!field_inside(section, offset, row))
    return std::nullopt;
  const u8 *word = section.data() + offset;
  FieldValue found;
  for (const RelocPiece &piece : row.pieces) {
    u64 content = 0;
    for_each_byte(piece, [word, &content](u32 byte, u32 shift, u32 bits, u32 to) {
      content |= ((u64{word[byte]} >> shift) & low_bits(bits)) << to;
    });
    if (piece.source == PieceSource::Bank)
      found.bank = static_cast<u8>(found.bank | content);
    else
      found.value |= content;
  }
  return found;
}

std::optional<FieldValue> implicit_addend(ByteSpan section, u64 offset, const RelocInfo &row) {
  std::optional<FieldValue> addend = read_field(section, offset, row);
  if (addend && row.rel_addend_in_place)
    addend->value >>= row.pieces[0].value_bit;
  return addend;
}

FieldValue add(const RelocInfo &row, FieldValue symbol, FieldValue addend) {
  FieldValue sum{symbol.value + addend.value, 0};
  // A bank in two pieces has no carry between them.
  for (const RelocPiece &piece : row.pieces)
    if (piece.source == PieceSource::Bank) {
      const u32 part = (symbol.bank >> piece.value_bit) + (addend.bank >> piece.value_bit);
      sum.bank = static_cast<u8>(sum.bank | (part & low_bits(piece.width)) << piece.value_bit);
    }
  return sum;
}

bool field_holds(const RelocInfo &row, FieldValue value) {
  u64 value_mask = 0;
  u64 bank_mask = 0;
  for (const RelocPiece &piece : row.pieces)
    (piece.source == PieceSource::Bank ? bank_mask : value_mask) |= low_bits(piece.width)
                                                                    << piece.value_bit;
  return (value.value & ~value_mask) == 0 && (value.bank & ~bank_mask) == 0;
}

} // namespace culink::arch
