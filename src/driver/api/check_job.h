// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <vector>

#include "culink/linker.h"
#include "link/model/diagnostics.h"
#include "link/model/input_object.h"
#include "support/worker_pool.h"
#include "verify/link/check_link.h"

namespace culink {

// True if a link compares its output with its inputs: on request, or because it is small.
[[nodiscard]] bool is_to_check(const LinkRequest &request, const std::vector<InputObject> &objects,
                               const Diagnostics &diag);

// Returns the linked objects as inputs of the checker.
[[nodiscard]] std::vector<check::CheckInput>
list_linked_code(const std::vector<InputObject> &objects);

// Checks the output of a link against the linked objects, with code that the linker does not share,
// and reports the findings. `options` are the options of the link, with the kernels that host code
// refers to. `finalized`: the code was scheduled again.
void check_linked(const std::vector<check::CheckInput> &linked, ByteSpan output,
                  const LinkRequest &request, const LinkOptions &options, bool finalized,
                  WorkerPool &pool, Diagnostics &diag);

struct CheckAnswer {
  bool complete = false; // the inputs could be read
  std::vector<Message> messages;
  std::vector<check::Finding> findings;
};

// Reads the inputs of a request as a link does, and checks an output that was made of them. The
// output records the target and the options of that link. Code of sm_100 and later may have been
// scheduled again, except with `as_compiled`.
[[nodiscard]] CheckAnswer check_file(LinkRequest request, ByteSpan output, bool as_compiled);

} // namespace culink
