// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The linker program: nothing but the edge between the system and run_command. What it does is in
// command.cc; what may be thrown on the way comes from libraries below us and ends here.
#include <cstdio>
#include <exception>

#include "command.h"

int main(int argc, char **argv) {
  try {
    return culink::run_command(std::vector<std::string>(argv + 1, argv + argc));
  } catch (const std::exception &error) { // out of memory and the like
    std::fprintf(stderr, "culink: error: %s\n", error.what());
  }
  return 1;
}
