// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// -v: memory of the program, then two lines per kernel. Kernels come in the reverse of the
// order in which the inputs first mention them; textures and surfaces only where there are some.
// nvlink gives a recursive kernel a stack by a rule that is not known; ours says 0.
#include "report/resource_table.h"

#include <algorithm>

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
  return out;
}

} // namespace

std::vector<std::string> resource_lines(const LinkFacts &facts) {
  std::vector<std::string> lines = {
      fmt::format("{} bytes gmem{}", facts.global_bytes, bank_list(facts.constants))};
  std::vector<KernelFacts> kernels = facts.kernels;
  std::sort(kernels.begin(), kernels.end(),
            [](const KernelFacts &a, const KernelFacts &b) { return a.function > b.function; });
  for (const KernelFacts &kernel : kernels) {
    lines.push_back(
        fmt::format("Function properties for '{}':", facts.functions[kernel.function].name));
    lines.push_back(kernel_line(kernel));
  }
  return lines;
}

} // namespace culink
