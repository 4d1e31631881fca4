// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The bank of __constant__ variables where kernels are selected. If it fits, nvlink leaves out
// blocks of certain sizes that are equal to an earlier one, but the symbols of variables in and
// after them keep their values, so programs compute wrong results (Q050). The last block that was
// compared and not left out shows in symbol 0 (Q019).
#include "link/nvlink/user_constants.h"

#include <algorithm>
#include <set>
#include <string_view>

#include "support/bytes.h"

namespace culink::nvlink {

namespace {

// Sizes that nvlink compares: one word and two words if aligned to their size, and some more.
bool is_compared(u64 size, u64 align) {
  constexpr u64 kSizes[] = {12, 16, 20, 24, 32, 48, 64};
  return (size == 4 && align == 4) || (size == 8 && align == 8) ||
         std::find(std::begin(kSizes), std::end(kSizes), size) != std::end(kSizes);
}

} // namespace

Layout merge_equal_constants(const Program &program, Layout layout, OutId id) {
  if (!program.policy.merges_equal_constants)
    return layout;
  std::set<std::pair<u64, std::string_view>> seen; // (alignment, bytes)
  const std::vector<Piece> pieces = layout.sections.table.pieces(id);
  layout.sections.table.clear_content(id);
  u64 end = 0;
  for (u32 i = 0; i < pieces.size(); ++i) {
    const ByteSpan bytes = pieces[i].bytes;
    const u64 align = layout.placement.user_constant_aligns[i];
    const u64 offset = align_up(end, align);
    if (is_compared(bytes.size(), align)) {
      const bool zero = std::all_of(bytes.begin(), bytes.end(), [](u8 byte) { return byte == 0; });
      // Zero blocks of one or two words are never merged.
      if (!seen.emplace(align, as_text(bytes)).second && !(zero && bytes.size() <= 8)) {
        layout.placement.wrong_symbols = true;
        continue;
      }
      // Blocks of shared memory come later (Q117).
      if (program.policy.null_symbol_has_value && layout.placement.unnamed_shared.empty())
        layout.placement.null_symbol_value = offset;
    }
    layout.sections.table.add_piece(id, offset, bytes);
    end = offset + bytes.size();
  }
  layout.sections[id].size = end;
  return layout;
}

} // namespace culink::nvlink
