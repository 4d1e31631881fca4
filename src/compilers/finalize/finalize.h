// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compilers/cache/cache.h"
#include "compilers/finalize/engines.h"
#include "culink/finalizer_engine.h"
#include "link/model/finalized.h"

namespace culink {

// Finalizes objects with the engines that there are, which are not asked for what the cache has.
// Objects with the same bytes are finalized once.
class Finalizer {
public:
  // Precondition: there is an engine. As many engines run at once as there are threads; 0: cores.
  // The cache may be null. Engines are ended soon after `cancelled` is set, unless null.
  Finalizer(const FinalizerEngine &engine, u32 threads, Cache *cache = nullptr,
            const std::atomic<bool> *cancelled = nullptr)
      : engines_(engine, cache, cancelled), threads_(threads) {}

  // A result for each object of the request, or none after a message.
  [[nodiscard]] std::vector<FinalizedObject> operator()(const FinalizeRequest &request,
                                                        Diagnostics &diag);

private:
  Engines engines_;
  u32 threads_;
};

} // namespace culink
