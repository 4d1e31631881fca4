// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/worker_pool.h"
#include "cache/cache.h"
#include "culink/finalizer_engine.h"
#include "model/finalized.h"

namespace culink {

// A finalizer that runs as many engines at once as the pool has threads. Objects with the same
// bytes are finalized once. The engine is not asked for
// what the cache has, if there is one. Precondition: there is an engine, and pool and cache outlive
// the finalizer.
[[nodiscard]] FinalizeObjects make_finalizer(const FinalizerEngine &engine, WorkerPool &pool,
                                             Cache *cache = nullptr);

} // namespace culink
