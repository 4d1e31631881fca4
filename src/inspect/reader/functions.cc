// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions are symbols of code. What may surprise: helpers that the compiler puts inside the
// section of a kernel come before the kernel among the symbols; the section belongs to the function
// at its beginning.
#include "inspect/reader/functions.h"

namespace culink::inspect {

Functions::Functions(const elf::ElfView &file)
    : file_(file), of_symbol_(file.symbols().size(), kNoFunction) {
  const elf::SymbolTable symbols = file.symbols();
  for (u32 i = 0; i < symbols.size(); ++i) {
    const elf::Symbol symbol = symbols[i];
    if (symbol.type() != elf::SymbolType::Function || !symbol.in_section())
      continue;
    const ByteSpan section = file.sections()[symbol.section].data;
    of_symbol_[i] = static_cast<u32>(all_.size());
    of_name_.try_emplace(symbol.name, of_symbol_[i]);
    if (symbol.value == 0)
      of_section_.try_emplace(symbol.section, of_symbol_[i]);
    all_.push_back({symbol.name, i, symbol.section, symbol.value, symbol.size,
                    (symbol.other & elf::kOtherKernel) != 0,
                    slice(section, symbol.value, symbol.size).value_or(ByteSpan())});
  }
}

u32 Functions::of_symbol(u32 symbol) const {
  return symbol < of_symbol_.size() ? of_symbol_[symbol] : kNoFunction;
}

u32 Functions::of_section(u32 section) const {
  const auto at = of_section_.find(section);
  return at == of_section_.end() ? kNoFunction : at->second;
}

u32 Functions::owner_of(const elf::Section &section, std::string_view owner) const {
  const elf::Section *target = file_.info_section(section);
  for (const u32 index : {section.index, target ? target->index : section.index})
    if (const u32 function = of_section(index); function != kNoFunction)
      return function;
  const auto at = of_name_.find(owner);
  return owner.empty() || at == of_name_.end() ? kNoFunction : at->second;
}

} // namespace culink::inspect
