// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The commonest reason for an undefined symbol is an input that was left out: compiled for another
// target, or without -rdc=true. Such code is only read when a link has failed, and broken code is
// ignored, because the link does not depend on it.
#include "api/skipped_definitions.h"

#include <string>

#include "base/name_map.h"
#include "elf/elf_view.h"

namespace culink {

namespace {

constexpr size_t kMostInputs = 1000; // inputs; each has to be unpacked

using Definers = OwnedNameMap<const SkippedCode *>;

void add_definitions(const SkippedCode &code, Definers &definers) {
  std::vector<u8> unpacked;
  ByteSpan bytes = code.bytes;
  if (code.entry) {
    Result<std::vector<u8>> result = unpack(*code.entry);
    if (!result)
      return;
    unpacked = std::move(*result);
    bytes = unpacked;
  }
  const Result<elf::ElfView> view = elf::ElfView::open_tolerant(bytes);
  if (!view)
    return;
  const elf::SymbolTable symbols = view->symbols();
  for (u32 i = 0; i < symbols.size(); ++i)
    if (const elf::Symbol symbol = symbols[i];
        symbol.in_section() && symbol.binding() != elf::SymbolBinding::Local)
      definers.try_emplace(std::string(symbol.name), &code);
}

} // namespace

void name_skipped_definitions(const std::vector<SkippedCode> &skipped, Diagnostics &diag) {
  Definers definers;
  for (size_t i = 0; i < skipped.size() && i < kMostInputs; ++i)
    add_definitions(skipped[i], definers);
  if (definers.empty())
    return;
  for (Diagnostic &message : diag.all()) {
    if (message.id != DiagId::UndefinedReference)
      continue;
    const auto found = definers.find(message.arguments.front());
    if (found != definers.end())
      message.at("would be defined in",
                 {"", found->second->name, "", "", "but " + found->second->why});
  }
}

} // namespace culink
