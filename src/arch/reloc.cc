// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finding a relocation row. Names are looked up when text is read, one at a time: a scan over 178
// rows is quick enough. Roles of relocations are what a linker itself adds to a file, or looks for
// in one; they are rows of their own and no columns, because hardly any number has one.
#include "arch/reloc.h"

#include <algorithm>

namespace culink::arch {
namespace {

constexpr std::string_view kCudaPrefix = "R_CUDA_";

struct SlotRow {
  ImageKind kind;
  u32 sass;
  u32 mercury;
};

// Slots that were laid out for Mercury code have other numbers in the SASS plane
// than slots of a target without Mercury code: SassNumbers::data of their row.
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
  const u32 index = number - (mercury ? kFirstMercuryReloc : 1); // 0 wraps: there is no such row
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

} // namespace culink::arch
