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

// Returns a cubin without the contents of its debug information: lines, types, locations and the
// PTX that it was made from. The sections stay, but are empty. Frames (.debug_frame) stay too,
// because code without debug information also has them. Returns nullopt if there is no debug
// information, or if the layout of the file is not a compiler's.
[[nodiscard]] std::optional<std::vector<u8>> strip_debug(ByteSpan cubin);

// The code to keep. Code is selected by its target (sm_90, compute_90, lto_90), by its form (cubin,
// ptx, lto), or by `relocatable`: code that an earlier device link has linked already. A star
// matches any characters. `drop` may also contain `debug`: the debug information of code that
// stays.
struct PruneRules {
  std::vector<std::string> keep;  // empty: everything
  std::vector<std::string> drop;  // takes precedence over `keep`
  std::optional<Packing> packing; // nullopt: payloads are not repacked
};

// The pieces of one target in a file, before and after pruning.
struct PruneCount {
  u64 pieces = 0, dropped = 0;
  u64 bytes = 0, bytes_after = 0; // including headers
};

// The result of pruning a file.
struct PruneTally {
  u64 size = 0; // of the new file
  std::map<std::string, PruneCount> targets;
  std::map<std::string, bool> linked_kept; // by target of linked code: true if some of it stays
  u64 zeroed = 0; // bytes that could not be removed, because the data after them has addresses

  [[nodiscard]] PruneCount total() const;
};

// The new file in pieces, to be written one after the other. Unchanged parts of a program or
// library are not copied: their pieces refer to the input, which must live as long.
struct PrunedPieces : PruneTally {
  PrunedPieces() = default;
  PrunedPieces(const PrunedPieces &) = delete; // pieces would refer to the other object
  PrunedPieces &operator=(const PrunedPieces &) = delete;
  PrunedPieces(PrunedPieces &&) = default;
  PrunedPieces &operator=(PrunedPieces &&) = default;
  ~PrunedPieces() = default;

  std::vector<ByteSpan> pieces;
  std::deque<std::vector<u8>> owned; // new bytes, to which pieces refer
};

// Removes unwanted code from a fatbin, host object, archive, program or shared library. The code
// itself never changes. Fatbins, objects and archives become shorter. In programs and libraries,
// where every byte has an address, containers become shorter and zeros follow.
[[nodiscard]] Result<PrunedPieces> prune(ByteSpan file, const PruneRules &rules);

// "12096 -> 9216 bytes (23% less)", then a line for each target.
[[nodiscard]] std::string describe_pruning(u64 size, const PruneTally &pruned);

} // namespace culink
