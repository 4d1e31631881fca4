// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/worker_pool.h"
#include "check/check_link.h"
#include "culink/linker.h"
#include "model/input_object.h"

namespace culink {

// A linked object as the checker takes it.
struct LinkedCode {
  std::string name;
  ByteSpan bytes;
};
[[nodiscard]] std::vector<LinkedCode> list_linked_code(const std::vector<InputObject> &objects);

// Checks an output against the objects that were linked. `options` are those of the link, with the
// kernels that host code refers to; `finalized`: its code was scheduled again.
[[nodiscard]] std::vector<check::Finding> check_output(const std::vector<LinkedCode> &code,
                                                       ByteSpan output, const LinkOptions &options,
                                                       bool finalized, WorkerPool &pool);

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
