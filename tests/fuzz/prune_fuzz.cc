// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Any bytes as a file that is pruned and packed again: what is left can be read, has only what was
// asked for, and pruning it again drops nothing.
#include <cstdlib>

#include "edit/prune.h"
#include "input/file_kind.h"
#include "targets.h"

using namespace culink;

namespace {

std::vector<u8> joined(const PrunedPieces &pruned) {
  std::vector<u8> out;
  for (const ByteSpan piece : pruned.pieces)
    out.insert(out.end(), piece.begin(), piece.end());
  return out;
}

} // namespace

int fuzz::prune_fuzz(const u8 *data, size_t size) {
  const PruneRules rules{.keep = {"sm_*"}, .drop = {"ptx"}, .packing = {}};
  const Result<PrunedPieces> once = prune({data, size}, rules);
  if (!once)
    return 0;
  const std::vector<u8> bytes = joined(*once);
  if (file_kind(bytes) != FileKind::Archive) { // whose members may have been damaged before
    const Result<PrunedPieces> twice = prune(bytes, rules);
    if (!twice || twice->total().dropped != 0)
      std::abort();
    if (file_kind(bytes) == FileKind::Fatbin && joined(*twice) != bytes)
      std::abort();
  }
  (void)prune({data, size}, {.keep = {}, .drop = {}, .packing = Packing{1}});
  return 0;
}
