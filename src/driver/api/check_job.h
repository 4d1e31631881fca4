// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "culink/linker.h"
#include "link/model/diagnostics.h"
#include "link/model/input_object.h"
#include "support/worker_pool.h"
#include "verify/link/check_link.h"

namespace culink {

// A linked object as the checker takes it.
struct LinkedCode {
  std::string name;
  ByteSpan bytes;
};
[[nodiscard]] std::vector<LinkedCode> list_linked_code(const std::vector<InputObject> &objects);

// Whether a link compares its output with its inputs: where it was asked to, and where it is small.
[[nodiscard]] bool is_to_check(const LinkRequest &request, const std::vector<InputObject> &objects,
                               const Diagnostics &diag);

// Findings as messages: errors for all of them, or one warning.
void report_findings(const std::vector<check::Finding> &findings, bool all, Diagnostics &diag);

// Checks an output against the objects that were linked. `options` are those of the link, with the
// kernels that host code refers to; `finalized`: its code was scheduled again.
[[nodiscard]] std::vector<check::Finding> check_output(const std::vector<LinkedCode> &code,
                                                       ByteSpan output, const LinkOptions &options,
                                                       bool finalized, WorkerPool &pool);

// Whether all objects were compiled for the target that they are linked for.
[[nodiscard]] bool are_made_for(const std::vector<LinkedCode> &code, const std::string &target);

// For code that an engine is asked to schedule: checks the Mercury code that a link of the same
// objects makes, as it was compiled. What the engine makes of code can be compared in part only.
// Flaws of the inputs that the engine does not copy are reported.
[[nodiscard]] std::vector<check::Finding> check_unscheduled(const std::vector<LinkedCode> &code,
                                                            const LinkRequest &request,
                                                            const LinkOptions &options,
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
