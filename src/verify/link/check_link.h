// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The link checker: shows that a linked file is the program that its inputs make up. It knows the
// inputs, the output and the format, and nothing of the linker. docs/checker.md says what is shown.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "support/types.h"
#include "support/worker_pool.h"
#include "verify/program/options.h"
#include "verify/program/report.h"

namespace culink::check {

struct CheckInput {
  std::string_view name;
  ByteSpan bytes; // a relocatable cubin
};

// Everything that is wrong with `output` as a link of `inputs` (all that were linked, in order).
// Whether it is an executable or an object (-r) is told from the file.
[[nodiscard]] std::vector<Finding> check_link(std::span<const CheckInput> inputs, ByteSpan output,
                                              const CheckOptions &options, WorkerPool &pool);

} // namespace culink::check
