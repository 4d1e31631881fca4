// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <vector>

#include "support/result.h"
#include "support/types.h"
#include "yaml/document/document.h"

namespace culink::text {

// The file that a document describes: of the exact form when it lists sections or says so, else of
// the minimal one. The error names line and key. Nothing larger than kMaxImageBytes is made.
[[nodiscard]] Result<std::vector<u8>> assemble(const Node &document);

[[nodiscard]] Result<std::vector<u8>> assemble_exact(const Node &document);
[[nodiscard]] Result<std::vector<u8>> assemble_minimal(const Node &document);

} // namespace culink::text
