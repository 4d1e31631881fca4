// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

#include "culink/types.h"

namespace culink {

// The cache for outputs of NVIDIA's compilers, so that nothing is compiled or finalized twice
// (docs/compilers.md). An error of a cache never fails a link.
struct CacheOptions {
  static constexpr u64 kDefaultSize = u64{5} << 30;

  std::string folder;            // only its owner may be able to write it; empty: none
  bool folder_is_guess = false;  // no message if it cannot be created
  u64 size = kDefaultSize;       // of its files, in bytes; the least recently used are removed
  std::string remote;            // http:// or https://, a store that others share; empty: none
  bool remote_read_only = false; // nothing is sent to that store

  [[nodiscard]] bool empty() const { return folder.empty() && remote.empty(); }
};

// How often a link used the cache.
struct CacheUse {
  bool on = false;
  u32 local_hits = 0;  // results from the folder
  u32 remote_hits = 0; // results from the shared store
  u32 misses = 0;      // results that had to be computed
  u32 stored = 0;      // results that were added
};

} // namespace culink
