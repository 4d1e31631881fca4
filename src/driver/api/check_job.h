// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <vector>

#include "culink/linker.h"
#include "link/model/diagnostics.h"
#include "link/model/input_object.h"
#include "support/worker_pool.h"
#include "verify/link/check_link.h"

namespace culink {

// Whether a link compares its output with its inputs: where it was asked to, and where it is small.
[[nodiscard]] bool is_to_check(const LinkRequest &request, const std::vector<InputObject> &objects,
                               const Diagnostics &diag);

// The linked objects as the checker takes them.
[[nodiscard]] std::vector<check::CheckInput>
list_linked_code(const std::vector<InputObject> &objects);

// Checks the output of a link against the objects that were linked, by code that the linker does
// not share, and reports the findings. `options` are those of the link, with the kernels that host
// code refers to; `finalized`: its code was scheduled again.
void check_linked(const std::vector<check::CheckInput> &linked, ByteSpan output,
                  const LinkRequest &request, const LinkOptions &options, bool finalized,
                  WorkerPool &pool, Diagnostics &diag);

struct CheckAnswer {
  bool complete = false; // the inputs could be read
  std::vector<Message> messages;
  std::vector<check::Finding> findings;
};

// Reads the inputs of a request as a link would, and checks an output that was made of them. The
// target and the options of that link are taken from the output, which records them.
// Code of sm_100 and later may have been scheduled again, unless it is said to be `as_compiled`.
[[nodiscard]] CheckAnswer check_file(LinkRequest request, ByteSpan output, bool as_compiled);

} // namespace culink
