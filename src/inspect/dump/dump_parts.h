// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parts of a dump, for dump.cc alone. Each reports one aspect of the file to the sink.
#pragma once

#include <string>
#include <string_view>

#include "elf/codec.h"
#include "elf/elf_view.h"
#include "inspect/dump/dump.h"
#include "inspect/dump/sink.h"

namespace culink::text {

struct DumpContext {
  const elf::ElfView &file;
  const DumpOptions &options;
  Sink &sink;
  const WarningSink &warn;
};

void dump_header(const DumpContext &context);
void dump_sections(const DumpContext &context);
void dump_segments(const DumpContext &context);
void dump_shared_bytes(const DumpContext &context);

// What a section holds, inside its row.
using PutSection = void(const DumpContext &context, const elf::Section &section);
PutSection put_symbols, put_relocations, put_info, put_callgraph, put_prototypes, put_notes,
    put_compat, put_relocation_actions, put_metadata, put_unified_entries, put_capsule, put_names,
    put_hex;

// Names for the indices of one symbol table.
class SymbolNames {
public:
  // The table that `user`'s sh_link names, or .symtab if it names none.
  SymbolNames(const DumpContext &context, const elf::Section &user);
  SymbolNames(const elf::ElfView &file, const elf::SymbolTable &table, bool demangle);

  // "" for an index that is 0 or outside; a section symbol without a name has its section's.
  [[nodiscard]] std::string operator()(u32 index) const;
  [[nodiscard]] std::string of(const elf::Symbol &symbol) const;
  [[nodiscard]] const elf::SymbolTable &table() const { return table_; }

private:
  const elf::ElfView &file_;
  elf::SymbolTable table_;
  bool demangle_;
};

// R_CUDA_* or R_MERCURY_*; "" for a number without a name.
[[nodiscard]] std::string_view relocation_name(u32 type);

// The heading of a row that describes one section: its name, then its index.
void put_section(Sink &sink, const elf::Section &section);

// Warns about each violation a codec found in `section`.
void warn_violations(const DumpContext &context, const elf::Section &section,
                     const std::vector<elf::Violation> &violations);

// The end of what a codec made of `section`: bytes that it could not read, and warnings.
void put_rest(const DumpContext &context, const elf::Section &section, const auto &decoded) {
  if (!decoded.rest.empty())
    context.sink.bytes({"rest", ""}, decoded.rest);
  warn_violations(context, section, decoded.violations);
}

} // namespace culink::text
