// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <vector>

#include "culink/diagnostics.h"
#include "culink/linker.h"
#include "driver/nvjitlink/abi.h"

namespace culink::jit {

// A message as lines of a log: in the words that nvJitLink has in common with nvlink where there
// are such, else in culink's.
[[nodiscard]] std::string log_lines(const Message &message);

// What the first error says about a link; Success if there is none.
[[nodiscard]] Code code_of(const std::vector<Message> &messages);

// Where the variable CULINK_JIT_LOG names a file: appends a line about a link to it, so that users
// see that and how their programs link. Whatever goes wrong with it is no matter of the link.
void write_jit_log(const LinkRequest &request, const LinkResult &result, Code code,
                   double milliseconds);

} // namespace culink::jit
