// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compilers/cache/cache.h"
#include "compilers/finalize/engines.h"
#include "culink/finalizer_engine.h"
#include "link/model/finalized.h"

namespace culink {

// Finalizes objects with the available engines, unless the cache has the answer. Objects with the
// same bytes are finalized once.
class Finalizer {
public:
  // Precondition: an engine is available. `threads` is the number of engines that run at once; 0:
  // the number of cores. The cache may be null. Engines are killed soon after `cancelled` is set;
  // it may be null.
  Finalizer(const FinalizerEngine &engine, u32 threads, Cache *cache = nullptr,
            const std::atomic<bool> *cancelled = nullptr)
      : engines_(engine, cache, cancelled), threads_(threads) {}

  // Returns a result for each object of the request, or an empty list after an error message.
  [[nodiscard]] std::vector<FinalizedObject> operator()(const FinalizeRequest &request,
                                                        Diagnostics &diag);

private:
  Engines engines_;
  u32 threads_;
};

} // namespace culink
