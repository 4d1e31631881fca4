// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// -v: memory of the program, then two lines per kernel. Kernels come in the reverse of the
// order in which the inputs define them; textures and surfaces only where there are some.
// Of a recursive kernel the stack is its own frame.
#include "report/resource_table.h"

#include <fmt/format.h>

namespace culink {

namespace {

std::string bank_list(const std::vector<BankFacts> &banks) {
  std::string out;
  for (const BankFacts &bank : banks)
    out += fmt::format(", {} bytes cmem[{}]", bank.bytes, bank.bank);
  return out;
}

std::string kernel_line(const KernelFacts &kernel) {
  std::string out =
      fmt::format("used {} registers, used {} barriers, {} stack, {} bytes smem{}, {} bytes lmem",
                  kernel.registers, kernel.barriers, kernel.stack, kernel.shared,
                  bank_list(kernel.constants), kernel.local);
  if (kernel.textures != 0)
    out += fmt::format(", {} textures", kernel.textures);
  if (kernel.surfaces != 0)
    out += fmt::format(", {} surfaces", kernel.surfaces);
  if (kernel.samplers != 0)
    out += fmt::format(", {} samplers", kernel.samplers);
  return out;
}

} // namespace

std::vector<std::string> resource_lines(const LinkFacts &facts) {
  std::vector<std::string> lines = {
      fmt::format("{} bytes gmem{}", facts.global_bytes, bank_list(facts.constants))};
  for (size_t i = facts.kernels.size(); i-- > 0;) {
    const KernelFacts &kernel = facts.kernels[i];
    lines.push_back(
        fmt::format("Function properties for '{}':", facts.functions[kernel.function].name));
    lines.push_back(kernel_line(kernel));
  }
  return lines;
}

} // namespace culink
