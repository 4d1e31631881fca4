// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The linker program: nothing but the edge between the system and run_command. What it does is in
// command.cc; what may be thrown on the way comes from libraries below us and ends here.
#include <climits>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

#include "command.h"
#include "compilers/engine/worker.h"
#include "support/mapped_file.h"

namespace {

// Page faults take a quarter of the time of a large link. glibc has a setting for such programs: a
// heap of huge pages that keeps freed memory. It is read from the environment when a program
// starts, so a large link starts again with it. A small link would lose: a restart takes as long as
// half of the link, and clearing huge pages that are hardly used takes longer than small ones.
// Archives do not count, because a link takes few members of most large ones.
//
// What may surprise: the variable is removed after the restart, so compilers that the link runs do
// not inherit it. A user's own setting is left alone.

#ifdef __GLIBC__

void restart_for_large_files(int argc, char **argv) {
  constexpr const char *kVariable = "GLIBC_TUNABLES";
  constexpr std::string_view kSetting = "glibc.malloc.hugetlb=1:glibc.malloc.top_pad=67108864:"
                                        "glibc.malloc.mmap_threshold=4294967296:"
                                        "glibc.malloc.trim_threshold=8589934592";
  constexpr off_t kLarge = off_t{32} << 20;
  if (const char *known = std::getenv(kVariable)) {
    if (known == kSetting)
      unsetenv(kVariable);
    return;
  }
  off_t size = 0;
  for (int i = 1; i < argc; ++i)
    if (struct stat file; !std::string_view(argv[i]).ends_with(".a") && stat(argv[i], &file) == 0 &&
                          S_ISREG(file.st_mode))
      size += file.st_size;
  char path[PATH_MAX + 1] = {};
  if (size < kLarge || readlink("/proc/self/exe", path, PATH_MAX) <= 0)
    return;
  setenv(kVariable, std::string(kSetting).c_str(), 1);
  execv(path, argv);
  unsetenv(kVariable); // the program file is gone: go on without
}

#else

void restart_for_large_files(int, char **) {}

#endif

} // namespace

int main(int argc, char **argv) {
  try {
    const std::vector<std::string> words(argv + 1, argv + argc);
    if (!words.empty() && words.front() == culink::kWorkerWord)
      return culink::run_engine_worker(words);
    restart_for_large_files(argc, argv);
    culink::end_when_files_shrink();
    std::signal(SIGXFSZ, SIG_IGN); // an output beyond the limit is a failed write, which is told
    return culink::run_command(words);
  } catch (const std::exception &error) { // out of memory and the like
    std::fprintf(stderr, "culink: error: %s\n", error.what());
  }
  return 1;
}
