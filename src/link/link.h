// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>
#include <vector>

#include "arch/arch.h"
#include "base/worker_pool.h"
#include "culink/byte_buffer.h"
#include "culink/link_facts.h"
#include "model/diagnostics.h"
#include "model/dialect.h"
#include "model/input_object.h"
#include "model/options.h"
#include "model/records.h"

namespace culink {

struct LinkedImage {
  ByteBuffer bytes;
  LinkFacts facts;      // if the options ask for them
  bool unsound = false; // by the dialect's will, variables may lie outside their section
};

// One link. Nothing: it failed, and `diag` says why.
[[nodiscard]] std::optional<LinkedImage> link(const LinkOptions &options, const Dialect &dialect,
                                              const arch::ArchInfo &arch,
                                              std::vector<InputObject> objects, WorkerPool &pool,
                                              Diagnostics &diag);

} // namespace culink
