// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A large link has mapped all its inputs and its output, and the file that the output replaces is
// freed when nobody has it any more. All that takes the system 30 ms for 200 MB, and whoever waits
// for the link would wait for it, too. So at the end a second process begins that has the same
// memory, does nothing but outlive the first, and frees the memory by ending. Other linkers
// (mold, wild) have all work done by such a process; this way the first one is the one that is
// debugged, measured and killed.
#include "end_process.h"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace culink {

namespace {

// Before there is a second process, so that nobody who reads from this program, or has opened or
// locked a file for it, waits for the second one to close it.
void leave_files_and_folder() {
  constexpr int kFilesOfMost = 1024;
  if (::syscall(SYS_close_range, 0u, ~0u, 0u) != 0)
    for (int fd = 0; fd < kFilesOfMost; ++fd) // before Linux 5.9
      ::close(fd);
  static_cast<void>(::chdir("/") == 0);
}

int outlive(void *first) {
  constexpr timespec kPause{.tv_sec = 0, .tv_nsec = 10'000'000};
  ::prctl(PR_SET_PDEATHSIG, SIGKILL); // when the first one has ended; else this one will notice
  while (::getppid() == *static_cast<const pid_t *>(first))
    ::nanosleep(&kPause, nullptr);
  return 0;
}

// Valgrind and sanitizers know only threads, and processes with memory of their own.
bool is_watched() {
#ifdef CULINK_SANITIZED
  return true;
#else
  const char *libraries = std::getenv("LD_PRELOAD");
  return libraries && std::strstr(libraries, "vgpreload");
#endif
}

} // namespace

void end_process(int status) {
  constexpr size_t kStack = 16384;
  char *stack = is_watched() ? nullptr : static_cast<char *>(std::malloc(kStack));
  if (!stack)
    return;
  std::fflush(nullptr);
  leave_files_and_folder();
  pid_t first = ::getpid();
  ::clone(outlive, stack + kStack, CLONE_VM, &first); // both stacks stay as they are
  ::_exit(status);
}

} // namespace culink
