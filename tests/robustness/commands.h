// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "support/types.h"

namespace culink::robustness {

// What the library said about one file. None of it may depend on luck: the same bytes give the same
// outcome.
struct Outcome {
  bool readable = false;   // the tolerant view opens
  bool accepted = false;   // the strict view opens
  bool verified = false;   // and no rule is broken
  bool differs = false;    // from the original
  bool described = false;  // as exact text, which assembled to the same bytes
  bool broken_law = false; // two answers contradict each other: a bug even without a crash
};

// Does in one process what all commands of `cubin` do with a file: dump and usage as text and JSON,
// size, verify, diff against `original`, text in both forms and assemble of the results.
[[nodiscard]] Outcome run_commands(ByteSpan file, ByteSpan original);

} // namespace culink::robustness
