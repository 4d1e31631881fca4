// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two device objects that are in memory, as a run-time compiler has them, become one cubin that is
// in memory too; no file takes part in the link.
//
//   link_in_memory sm_90 first.cubin second.cubin linked.cubin
//
// This example takes the buffers from files and leaves the result in one, so that it can be tried;
// a real program would hand the result to cuModuleLoadData.
#include <fstream>
#include <iostream>
#include <iterator>
#include <vector>

#include "culink/linker.h"

namespace {

std::vector<culink::u8> read_all(const char *path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 5) {
    std::cerr << "usage: link_in_memory <target> <object> <object> <output>\n";
    return 2;
  }
  const std::vector<culink::u8> first = read_all(argv[2]);
  const std::vector<culink::u8> second = read_all(argv[3]);

  culink::LinkRequest request;
  request.target = argv[1];
  request.inputs = {culink::LinkInput::memory("first", first),
                    culink::LinkInput::memory("second", second)};
  request.options.facts = true;
  const culink::LinkResult result = culink::link(request);

  for (const culink::Message &message : result.messages)
    std::cerr << culink::format_message(message, "link_in_memory");
  if (!result.ok())
    return 1;
  for (const culink::KernelFacts &kernel : result.facts.kernels)
    std::cout << result.facts.functions[kernel.function].name << ": " << kernel.registers
              << " registers, " << kernel.shared << " bytes of shared memory\n";
  std::ofstream(argv[4], std::ios::binary)
      .write(reinterpret_cast<const char *>(result.bytes.data()),
             static_cast<std::streamsize>(result.bytes.size()));
  return 0;
}
