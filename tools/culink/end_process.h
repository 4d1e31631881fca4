// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace culink {

// Ends the process, whose work is done, before its memory is given back: another process, which
// shares the memory, does that a moment later. Returns where there can be none.
void end_process(int status);

} // namespace culink
