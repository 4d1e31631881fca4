// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A table of the kernels in cubins and device objects: what each needs to be launched, and how many
// of its instructions a loader has to patch.
//
//   read_cubin a.cubin b.cubin
#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include "culink/cubin_reader.h"

using culink::CubinReader;
using culink::u32;

namespace {

// "-" for what the file does not say.
std::string known(const std::optional<u32> &value) {
  return value ? std::to_string(*value) : "-";
}

std::string stack_of(const culink::FunctionUsage &kernel) {
  return kernel.min_stack == culink::kUnboundedStack ? "no limit" : known(kernel.min_stack);
}

void print_file(const char *path, const CubinReader &cubin) {
  const CubinReader::Header &header = cubin.header();
  std::printf("%s: %s for %s", path,
              header.type == culink::elf::FileType::Executable ? "linked" : "object",
              header.target.c_str());
  if (header.toolkit != 0)
    std::printf(", CUDA %u.%u", header.toolkit / 10, header.toolkit % 10);
  for (const CubinReader::Tool &tool : cubin.tools())
    std::printf(", %.*s", static_cast<int>(tool.name.size()), tool.name.data());
  std::printf("\n");
}

void print_kernels(const CubinReader &cubin) {
  std::map<u32, u32> patches; // by section
  for (const CubinReader::Relocation &relocation : cubin.relocations())
    ++patches[relocation.section];
  const std::vector<CubinReader::Symbol> symbols = cubin.symbols();

  std::printf("%9s %9s %7s %7s %9s %7s %7s  %s\n", "registers", "stack", "shared", "params",
              "barriers", "code", "patches", "kernel");
  for (const culink::FunctionUsage &function : cubin.usage().functions) {
    if (!function.kernel)
      continue;
    std::printf("%9s %9s %7llu %7s %9s %7llu %7u  %.*s\n", known(function.registers).c_str(),
                stack_of(function).c_str(), static_cast<unsigned long long>(function.shared),
                known(function.parameters).c_str(), known(function.barriers).c_str(),
                static_cast<unsigned long long>(function.code),
                patches[symbols[function.symbol].section], static_cast<int>(function.name.size()),
                function.name.data());
  }
}

} // namespace

int main(int argc, char **argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: read_cubin <file>...\n");
    return 2;
  }
  int status = 0;
  for (int i = 1; i < argc; ++i) {
    const culink::Result<CubinReader> cubin = CubinReader::open_file(argv[i]);
    if (cubin) {
      print_file(argv[i], *cubin);
      print_kernels(*cubin);
    } else {
      std::fprintf(stderr, "read_cubin: %s\n", cubin.error().text().c_str());
      status = 1;
    }
  }
  return status;
}
