// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

#include "culink/types.h"

namespace culink {

// Where answers of NVIDIA's compilers are kept, so that nothing is compiled or finalized twice.
// docs/compilers.md explains it. Nothing that happens to a cache fails a link.
struct CacheOptions {
  static constexpr u64 kDefaultSize = u64{5} << 30;

  std::string folder;            // only its owner may be able to write it; empty: none
  bool folder_is_guess = false;  // that it cannot be created is no news
  u64 size = kDefaultSize;       // of the files in it, in bytes; those unused for longest go first
  std::string remote;            // http:// or https://, a store that others share; empty: none
  bool remote_read_only = false; // nothing is sent to that store

  [[nodiscard]] bool empty() const { return folder.empty() && remote.empty(); }
};

// How often a link was spared the work.
struct CacheUse {
  bool on = false;
  u32 local_hits = 0;  // answers from the folder
  u32 remote_hits = 0; // answers from the shared store
  u32 misses = 0;      // work that was done
  u32 stored = 0;      // answers that were kept
};

} // namespace culink
