// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "edit/fatbin_writer.h"
#include "support/result.h"
#include "support/types.h"

namespace culink {

// A cubin without the contents of its debug information: lines, types, locations and the PTX that
// it was made of. Its sections stay, and are empty. Frames (.debug_frame) stay, too: code without
// debug information has them. Nothing: there is no such information, or the file is not laid out as
// compilers do it.
[[nodiscard]] std::optional<std::vector<u8>> strip_debug(ByteSpan cubin);

// What stays. Code is named by its target (sm_90, compute_90, lto_90), by its form (cubin, ptx,
// lto), or as `relocatable`: what an earlier device link has linked already. A star stands for any
// characters. Dropped may also be `debug`: the debug information of code that stays.
struct PruneRules {
  std::vector<std::string> keep;  // empty: everything
  std::vector<std::string> drop;  // counts more
  std::optional<Packing> packing; // nothing: payloads stay as they are
};

// The pieces of one target in a file, before and after.
struct PruneCount {
  u64 pieces = 0, dropped = 0;
  u64 bytes = 0, bytes_after = 0; // with their headers
};

// What became of a file.
struct PruneTally {
  u64 size = 0; // of the new file
  std::map<std::string, PruneCount> targets;
  std::map<std::string, bool> linked_kept; // targets of code that is not relocatable: if any stays
  u64 zeroed = 0; // bytes that could not be removed, because what is behind them has an address

  [[nodiscard]] PruneCount total() const;
};

// The new file in pieces, to be written one after the other. Of a program or library, what stays as
// it is is not copied: pieces lie in the file, which has to live as long.
struct PrunedPieces : PruneTally {
  PrunedPieces() = default;
  PrunedPieces(const PrunedPieces &) = delete; // pieces would be those of the other one
  PrunedPieces &operator=(const PrunedPieces &) = delete;
  PrunedPieces(PrunedPieces &&) = default;
  PrunedPieces &operator=(PrunedPieces &&) = default;
  ~PrunedPieces() = default;

  std::vector<ByteSpan> pieces;
  std::deque<std::vector<u8>> owned; // what is new
};

// A fatbin, host object, archive, program or shared library without the code that is not wanted.
// The code itself never changes. Fatbins, objects and archives become shorter. In programs and
// libraries, where every byte has its address, containers end earlier and zeros follow.
[[nodiscard]] Result<PrunedPieces> prune(ByteSpan file, const PruneRules &rules);

// "12096 -> 9216 bytes (23% less)", then a line for each target.
[[nodiscard]] std::string describe_pruning(u64 size, const PruneTally &pruned);

} // namespace culink
