// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finding a relocation row. Names are looked up when text is read, one at a time: a scan over 178
// rows is quick enough.
#include "arch/reloc.h"

#include <algorithm>

namespace culink::arch {
namespace {

constexpr std::string_view kCudaPrefix = "R_CUDA_";

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

} // namespace culink::arch
