// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace culink {

// Restarts the program with another setting of glibc's heap if the files on the command line are
// large. Returns otherwise, and after the restart.
void restart_for_large_files(int argc, char **argv);

} // namespace culink
