// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The commonest reason for an undefined symbol is an input that was left out: compiled for another
// target, or without -rdc=true. Such code is only read when a link has failed, and broken code is
// ignored, because the link does not depend on it.
#include "driver/api/skipped_definitions.h"

#include <algorithm>
#include <string>

#include "elf/elf_view.h"
#include "input/file_kind.h"
#include "link/model/name_pattern.h"
#include "support/string_index.h"

namespace culink {

namespace {

constexpr size_t kMostInputs = 1000; // inputs; each has to be unpacked

using Definers = OwnedNameMap<const SkippedCode *>;

void add_definitions_in(ByteSpan cubin, const SkippedCode &code, Definers &definers) {
  const Result<elf::ElfView> view = elf::ElfView::open_tolerant(cubin);
  if (!view)
    return;
  const elf::SymbolTable symbols = view->symbols();
  for (u32 i = 0; i < symbols.size(); ++i)
    if (const elf::Symbol symbol = symbols[i];
        symbol.in_section() && symbol.binding() != elf::SymbolBinding::Local)
      definers.try_emplace(std::string(symbol.name), &code);
}

void add_entry(const FatbinEntry &entry, const SkippedCode &code, Definers &definers) {
  if (const Result<std::vector<u8>> unpacked = unpack(entry); unpacked)
    add_definitions_in(*unpacked, code, definers);
}

void add_definitions(const SkippedCode &code, Definers &definers) {
  if (code.entry)
    return add_entry(*code.entry, code, definers);
  if (code.whole.empty())
    return add_definitions_in(code.bytes, code, definers);
  const Result<std::vector<FatbinContainer>> containers = read_fatbins(code.whole);
  if (!containers)
    return;
  for (const FatbinContainer &container : *containers)
    for (const FatbinEntry &entry : container.entries)
      if (entry.kind == FatbinKind::Elf)
        add_entry(entry, code, definers);
}

bool has_kernels(const InputObject &object) {
  return std::any_of(object.symbols.begin(), object.symbols.end(), [](const elf::Symbol &symbol) {
    return symbol.type() == elf::SymbolType::Function && symbol.in_section() &&
           (symbol.other & elf::kOtherKernel) != 0;
  });
}

// A program that was compiled as a whole has hardly any names left: what it defined may have been
// any of those that are missing.
std::string suspect_whole_programs(const std::vector<SkippedCode> &skipped) {
  constexpr size_t kMostNamed = 3;
  std::vector<std::string_view> names;
  for (const SkippedCode &code : skipped)
    if (code.why == kWholeProgram && (names.empty() || names.back() != code.name))
      names.push_back(code.name);
  if (names.empty())
    return "";
  const bool several = names.size() > 1;
  const std::string more = names.size() > kMostNamed
                               ? " and " + std::to_string(names.size() - kMostNamed) + " more"
                               : "";
  names.resize(std::min(names.size(), kMostNamed));
  return comma_list(names) + more + (several ? " were" : " was") +
         " compiled without -rdc=true, so that other files cannot use device code there";
}

} // namespace

void name_skipped_definitions(const std::vector<SkippedCode> &skipped, Diagnostics &diag) {
  Definers definers;
  for (size_t i = 0; i < skipped.size() && i < kMostInputs; ++i)
    add_definitions(skipped[i], definers);
  const std::string suspects = suspect_whole_programs(skipped);
  for (Diagnostic &message : diag.all()) {
    if (message.id != DiagId::UndefinedReference)
      continue;
    const auto found = definers.find(message.arguments.front());
    if (found == definers.end() && message.hint.empty())
      message.advise(suspects);
    else if (found != definers.end())
      message.at("would be defined in",
                 {"", found->second->name, "", "", "but " + found->second->why});
  }
}

// Nothing in such an output can be launched. Where code was left out, that is why; else somebody
// links functions alone. An object that was compiled as a whole has a linked image and registers
// it, so its kernels are not lost: it is what nvcc links for every program without -rdc=true.
void warn_about_lost_kernels(const std::vector<InputObject> &objects,
                             const std::vector<SkippedCode> &skipped, Diagnostics &diag) {
  const auto is_lost = [](const SkippedCode &code) { return code.why != kWholeProgram; };
  const auto first = std::find_if(skipped.begin(), skipped.end(), is_lost);
  const auto lost = std::count_if(skipped.begin(), skipped.end(), is_lost);
  const bool other_target =
      std::any_of(skipped.begin(), skipped.end(),
                  [](const SkippedCode &code) { return code.entry || !code.bytes.empty(); });
  if (lost == 0 || (!objects.empty() && !other_target) ||
      std::any_of(objects.begin(), objects.end(), has_kernels))
    return;
  diag.report(DiagId::NoKernels, {first->name, first->why})
      .advise(lost > 1
                  ? std::to_string(lost - 1) + " more left out; cubin list shows what inputs have"
                  : "cubin list shows what inputs have");
}

} // namespace culink
