// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finding a relocation row. Both lists are numbered without gaps, so a number is an index. Names
// are looked up when text is read, one at a time: a scan over 178 rows is quick enough.
#include "arch/reloc.h"

#include <algorithm>

namespace culink::arch {
namespace {

constexpr std::string_view kCudaPrefix = "R_CUDA_";

const RelocInfo *at_number(std::span<const RelocInfo> rows, u32 number) {
  const u32 index = number - rows.front().number; // wraps for a smaller number: not below size
  return index < rows.size() ? &rows[index] : nullptr;
}

} // namespace

bool RelocInfo::writes_bank() const {
  return std::any_of(pieces.begin(), pieces.end(), [](const RelocPiece &piece) {
    return piece.width != 0 && piece.source == PieceSource::Bank;
  });
}

u32 RelocInfo::word_bits() const {
  u32 end = 0;
  for (const RelocPiece &piece : pieces)
    if (piece.width != 0)
      end = std::max<u32>(end, piece.word_bit + piece.width);
  return end;
}

const RelocInfo *find_reloc(u32 number) {
  return at_number(number < kFirstMercuryReloc ? cuda_relocs() : mercury_relocs(), number);
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

} // namespace culink::arch
