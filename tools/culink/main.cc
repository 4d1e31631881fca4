// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The linker program: nothing but the edge between the system and run_command. What it does is in
// command.cc; what may be thrown on the way comes from libraries below us and ends here.
#include <csignal>
#include <cstdio>
#include <exception>

#include "command.h"
#include "compilers/engine/worker.h"
#include "restart.h"
#include "support/mapped_file.h"

int main(int argc, char **argv) {
  try {
    const std::vector<std::string> words(argv + 1, argv + argc);
    if (!words.empty() && words.front() == culink::kWorkerWord)
      return culink::run_engine_worker(words);
    culink::restart_for_large_files(argc, argv);
    culink::end_when_files_shrink();
    std::signal(SIGXFSZ, SIG_IGN); // an output beyond the limit is a failed write, which is told
    return culink::run_command(words);
  } catch (const std::exception &error) { // out of memory and the like
    std::fprintf(stderr, "culink: error: %s\n", error.what());
  }
  return 1;
}
