// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace culink {

// Ends the process, whose work is done, before its memory is given back: another process, which
// shares the memory, does that a moment later. Where there can be none, this one does.
[[noreturn]] void end_process(int status);

} // namespace culink
