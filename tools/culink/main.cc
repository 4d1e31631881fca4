// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The linker program. Version 0.1 reads and writes device ELF files but does not link yet, so this
// program answers --version and --help, and refuses every link. A build system that tries it gets
// a failure that says why, never an output file that looks linked and is not.
#include <cstdio>
#include <string_view>

#include <fmt/core.h>

namespace {

constexpr std::string_view kHelp =
    "usage: culink [--version | --help]\n"
    "\n"
    "culink is to link CUDA device code. This version does not link yet.\n"
    "The program `cubin` beside it inspects, checks, assembles and compares device ELF files;\n"
    "see `cubin --help`.\n";

constexpr int kExitCannotLink = 1;

} // namespace

int main(int argc, char **argv) {
  if (argc == 2 && std::string_view(argv[1]) == "--version") {
    fmt::print("culink {}\n", CULINK_VERSION);
    return 0;
  }
  if (argc == 2 && std::string_view(argv[1]) == "--help") {
    fmt::print("{}", kHelp);
    return 0;
  }
  fmt::print(stderr,
             "culink: error: version {} does not link yet; nothing was written\n"
             "hint: use nvlink for this link; `culink --help` says what works today\n",
             CULINK_VERSION);
  return kExitCannotLink;
}
