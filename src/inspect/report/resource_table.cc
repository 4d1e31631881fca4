// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// -v: memory of the program, then two lines per kernel. Kernels come in the reverse of the
// order in which the inputs define them; textures and surfaces only where there are some.
// Of a recursive kernel the stack is its own frame.
//
// nvlink counts neither constants nor images of Mercury code, and shows a stack of 2 GiB and more
// as a negative number.
#include "inspect/report/resource_table.h"

#include <fmt/format.h>

#include "support/text_out.h"

namespace culink {

namespace {

std::string bank_list(const std::vector<BankFacts> &banks) {
  std::string out;
  for (const BankFacts &bank : banks)
    out += fmt::format(", {} bytes cmem[{}]", bank.bytes, bank.bank);
  return out;
}

std::string kernel_line(const KernelFacts &kernel, Wording wording) {
  const i64 stack = wording == Wording::Nvlink ? i64{static_cast<i32>(kernel.stack)}
                                               : static_cast<i64>(kernel.stack);
  std::string out =
      fmt::format("used {} registers, used {} barriers, {} stack, {} bytes smem{}, {} bytes lmem",
                  kernel.registers, kernel.barriers, stack, kernel.shared,
                  bank_list(kernel.constants), kernel.local);
  if (kernel.textures != 0)
    out += fmt::format(", {} textures", kernel.textures);
  if (kernel.surfaces != 0)
    out += fmt::format(", {} surfaces", kernel.surfaces);
  if (kernel.samplers != 0)
    out += fmt::format(", {} samplers", kernel.samplers);
  return out;
}

// The kernel whose memory nvlink shows for this one: it looks for it by name, so that of kernels of
// one name, which have one bank, all have what the first has.
const KernelFacts &owner_of_memory(const LinkFacts &facts, const KernelFacts &kernel) {
  const bool has_none = kernel.constants.empty() && kernel.shared == 0;
  for (const KernelFacts &other : facts.kernels)
    if (has_none && facts.functions[other.function].name == facts.functions[kernel.function].name)
      return other;
  return kernel;
}

} // namespace

std::vector<ResourceUse> resource_uses(const LinkFacts &facts, Wording wording) {
  const bool counts_banks = !facts.mercury || wording == Wording::Own;
  std::vector<ResourceUse> uses = {
      {.text = fmt::format("{} bytes gmem{}", facts.global_bytes,
                           counts_banks ? bank_list(facts.constants) : std::string())}};
  for (size_t i = facts.kernels.size(); i-- > 0;) {
    KernelFacts kernel = facts.kernels[i];
    if (wording == Wording::Nvlink) {
      const KernelFacts &owner = owner_of_memory(facts, kernel);
      kernel.constants = owner.constants;
      kernel.shared = owner.shared;
      kernel.textures = owner.textures;
      kernel.samplers = owner.samplers;
      kernel.surfaces = owner.surfaces;
    }
    if (!counts_banks) {
      kernel.constants.clear();
      kernel.textures = kernel.samplers = kernel.surfaces = 0;
    }
    uses.push_back({facts.functions[kernel.function].name, kernel_line(kernel, wording)});
  }
  return uses;
}

std::vector<std::string> resource_lines(const LinkFacts &facts, Wording wording, NameStyle names) {
  std::vector<std::string> lines;
  for (const ResourceUse &use : resource_uses(facts, wording)) {
    if (!lines.empty()) // the first line is about the program
      lines.push_back(
          fmt::format("Function properties for '{}':", visible(shown_name(use.kernel, names))));
    lines.push_back(use.text);
  }
  return lines;
}

} // namespace culink
