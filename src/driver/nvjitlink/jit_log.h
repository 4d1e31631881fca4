// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "culink/linker.h"
#include "driver/nvjitlink/abi.h"

namespace culink::jit {

// Where the variable CULINK_JIT_LOG names a file: appends a line about a link to it, so that users
// see that and how their programs link. Whatever goes wrong with it is no matter of the link.
void write_jit_log(const LinkRequest &request, const LinkResult &result, Code code,
                   double milliseconds);

} // namespace culink::jit
