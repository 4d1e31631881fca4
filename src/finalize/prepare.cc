// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The engine is a linker: it misses what other objects define and removes what no kernel reaches.
// So a copy of the object is changed in place: bindings in both symbol tables, and sections that
// have to grow are written again at the end of the file, to which their headers then point.
//
// What may surprise: only one record in .nv.merc.nv.info (an error barrier before each exit of a
// kernel) tells the engine that code of the link was compiled with -G. The debug information does
// not matter, nor does the same record in .nv.info.
#include "finalize/prepare.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "base/bytes.h"
#include "elf/codec.h"
#include "elf/nv_callgraph.h"
#include "elf/nv_info.h"
#include "elf/wire.h"

namespace culink {

namespace {

constexpr u64 kSymbolBytes = sizeof(elf::wire::Sym64);
constexpr u64 kSectionAlignment = 8;

// Of every undefined global symbol. Engines crash on kernels that are missing; as a device function
// one may be.
void weaken_undefined(const elf::Section &table, std::vector<u8> &file) {
  for (u64 at = kSymbolBytes; at + kSymbolBytes <= table.data.size(); at += kSymbolBytes) {
    u8 *entry = file.data() + table.offset + at;
    auto symbol = load_le<elf::wire::Sym64>(entry);
    const bool global = symbol.st_info >> 4 == static_cast<u8>(elf::SymbolBinding::Global);
    if (symbol.st_shndx != elf::kSectionUndefined || !global)
      continue;
    symbol.st_info =
        static_cast<u8>(static_cast<u8>(elf::SymbolBinding::Weak) << 4 | (symbol.st_info & 15));
    symbol.st_other = static_cast<u8>(symbol.st_other & ~elf::kOtherKernel);
    store_le(entry, symbol);
  }
}

// The section has these contents now.
void replace_section(const elf::ElfView &object, const elf::Section &section, ByteSpan contents,
                     std::vector<u8> &file) {
  file.resize(align_up(file.size(), kSectionAlignment));
  const u64 place = file.size();
  elf::append_bytes(file, contents);
  u8 *header = file.data() + object.header().shoff + section.index * sizeof(elf::wire::Shdr64);
  store_le<u64>(header + offsetof(elf::wire::Shdr64, sh_offset), place);
  store_le<u64>(header + offsetof(elf::wire::Shdr64, sh_size), contents.size());
}

// The call graph, with every device function among those whose address is taken.
std::vector<u8> with_all_taken(const elf::ElfView &object, elf::CallGraph graph) {
  elf::PrototypeSection prototypes;
  if (const elf::Section *section = object.find(".nv.prototype"))
    prototypes = elf::decode_prototypes(section->data);
  const elf::SymbolTable symbols = object.symbols();
  std::vector<u32> prototype_of(symbols.size());
  for (const elf::Prototype &row : prototypes.records)
    if (row.symbol < prototype_of.size())
      prototype_of[row.symbol] = row.string;
  std::vector<bool> taken(symbols.size());
  for (const elf::CallPair &pair : graph.pairs(elf::CallPart::AddressTaken))
    if (pair.first < taken.size())
      taken[pair.first] = true;
  const auto is_part = [](const elf::CallGroup &group) {
    return group.part == elf::CallPart::AddressTaken;
  };
  auto group = std::find_if(graph.groups.begin(), graph.groups.end(), is_part);
  if (group == graph.groups.end())
    group = graph.groups.insert(group, {elf::CallPart::AddressTaken, {}, 0});
  for (u32 i = 1; i < symbols.size(); ++i) {
    const elf::Symbol symbol = symbols[i];
    const bool kernel = (symbol.other & elf::kOtherKernel) != 0;
    if (symbol.type() == elf::SymbolType::Function && symbol.in_section() && !kernel && !taken[i])
      group->pairs.push_back({i, prototype_of[i]});
  }
  return elf::encode_call_graph(graph);
}

std::vector<u8> with_debug_mark(const elf::Section &info) {
  constexpr elf::InfoAttribute kAttribute = elf::InfoAttribute::GenErrbarAtExit;
  std::vector<u8> out(info.data.begin(), info.data.end());
  for (const elf::InfoRecord &record : elf::InfoRecords(info.data))
    if (record.attribute == kAttribute)
      return out;
  elf::append_bytes(
      out, std::array<u8, elf::kRecordHeaderSize>{static_cast<u8>(elf::RecordFormat::NoValue),
                                                  static_cast<u8>(kAttribute)});
  return out;
}

} // namespace

Result<std::vector<u8>> prepare_object(const elf::ElfView &object, bool debug_code) {
  const elf::Section *symbols = object.find(".symtab");
  const elf::Section *mercury = object.find(".nv.merc.symtab");
  if (object.header().elf_class() != elf::ElfClass::Elf64 || !symbols || !mercury)
    return Error{"", "", "has no Mercury code"};
  std::vector<u8> file(object.file().begin(), object.file().end());
  weaken_undefined(*symbols, file);
  weaken_undefined(*mercury, file);
  if (const elf::Section *section = object.find(".nv.callgraph")) {
    const elf::CallGraph graph = elf::decode_call_graph(section->data);
    if (!graph.violations.empty())
      return Error{elf::describe_section(*section), "", graph.violations.front().message};
    replace_section(object, *section, with_all_taken(object, graph), file);
  }
  const elf::Section *info = object.find(".nv.merc.nv.info");
  if (info && debug_code)
    replace_section(object, *info, with_debug_mark(*info), file);
  return file;
}

} // namespace culink
