// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// make_cubin KERNELS CODE_BYTES FILE: writes a synthetic cubin, for measurements with programs.
#include <cstdlib>

#include <fmt/format.h>

#include "support/output_file.h"
#include "synthetic_cubin.h"

int main(int argc, char **argv) {
  if (argc != 4) {
    fmt::print(stderr, "usage: make_cubin KERNELS CODE_BYTES FILE\n");
    return 2;
  }
  const auto kernels = static_cast<culink::u32>(std::strtoul(argv[1], nullptr, 10));
  const culink::u64 code = std::strtoull(argv[2], nullptr, 10);
  const auto file = culink::bench::synthetic_cubin(kernels, code);
  if (!file) {
    fmt::print(stderr, "make_cubin: {}\n", file.error().text());
    return 1;
  }
  if (const auto error = culink::write_file(argv[3], *file)) {
    fmt::print(stderr, "make_cubin: {}: {}\n", argv[3], error->text());
    return 1;
  }
  return 0;
}
