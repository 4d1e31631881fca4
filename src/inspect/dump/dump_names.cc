// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How sections, symbols and numbers are called in a dump. Section symbols often have no name of
// their own; they go by that of their section.
#include <fmt/format.h>

#include "elf/target/reloc.h"
#include "inspect/dump/dump_parts.h"
#include "support/demangle.h"

namespace culink::text {

namespace {

elf::SymbolTable table_of(const elf::ElfView &file, const elf::Section &user) {
  elf::SymbolTable linked = file.linked_symbols(user);
  return linked.empty() ? file.symbols() : linked;
}

} // namespace

SymbolNames::SymbolNames(const DumpContext &context, const elf::Section &user)
    : SymbolNames(context.file, table_of(context.file, user), context.options.demangle) {}

SymbolNames::SymbolNames(const elf::ElfView &file, const elf::SymbolTable &table, bool demangle)
    : file_(file), table_(table), demangle_(demangle) {}

std::string SymbolNames::operator()(u32 index) const {
  return index == 0 || index >= table_.size() ? std::string() : of(table_[index]);
}

std::string SymbolNames::of(const elf::Symbol &symbol) const {
  if (symbol.name.empty() && symbol.type() == elf::SymbolType::Section && symbol.in_section())
    return std::string(file_.sections()[symbol.section].name);
  return shown_name(symbol.name, demangle_ ? demangle : nullptr);
}

std::string_view relocation_name(u32 type) {
  const arch::RelocInfo *row = arch::find_reloc(type);
  return row ? row->name : std::string_view();
}

void put_section(Sink &sink, const elf::Section &section) {
  sink.field({"name", "name"}, name(section.name));
  sink.put("section", number(section.index));
}

void warn_violations(const DumpContext &context, const elf::Section &section,
                     const std::vector<elf::Violation> &violations) {
  for (const elf::Violation &violation : violations)
    context.warn({elf::describe_section(section), fmt::format("offset {:#x}", violation.offset),
                  violation.message});
}

} // namespace culink::text
