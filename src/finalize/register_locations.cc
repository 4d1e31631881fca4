// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A variable is in a register from one offset in the code to another. Where nvlink finds the
// offsets of a discarded definition in the code of another, it reads behind the end of a table, and
// what it writes changes from run to run (Q106). Which offsets are of that kind can be told: the
// table of registers of the SASS plane comes from that of the Mercury plane, with the same blocks
// and in each the same records, sorted by register and offset. So a record of the one leads to that
// of the other, and that shows whether its offsets are in the Mercury code of the function at all.
#include "finalize/register_locations.h"

#include <algorithm>

#include "base/bytes.h"
#include "base/name_map.h"
#include "elf/elf_view.h"
#include "elf/records/nv_registers.h"

namespace culink {

namespace {

constexpr std::string_view kTable = ".nv_debug_info_reg_sass",
                           kMercuryTable = ".nv.merc.nv_debug_info_reg_sass",
                           kMercurySymbols = ".nv.merc.symtab";

NameMap<u64> sizes_of_functions(const elf::ElfView &file, const elf::Section &table) {
  NameMap<u64> out;
  const elf::SymbolTable symbols = file.symbols(table);
  for (u32 i = 0; i < symbols.size(); ++i)
    if (const elf::Symbol symbol = symbols[i];
        symbol.type() == elf::SymbolType::Function && symbol.in_section())
      out.emplace(symbol.name, symbol.size);
  return out;
}

} // namespace

void clear_unknown_locations(std::vector<u8> &linked_file) {
  const Result<elf::ElfView> view = elf::ElfView::open(linked_file);
  if (!view)
    return;
  const elf::Section *table = view->find(kTable), *mercury = view->find(kMercuryTable);
  const elf::Section *symbols = view->find(kMercurySymbols);
  if (!table || !mercury || !symbols)
    return;
  const NameMap<u64> sizes = sizes_of_functions(*view, *symbols);
  const std::vector<elf::RegisterBlock> blocks = elf::split_registers(table->data);
  std::vector<elf::RegisterBlock> origins = elf::split_registers(mercury->data);
  std::vector<u64> unknown; // offsets in the section
  for (size_t i = 0; i < std::min(blocks.size(), origins.size()); ++i) {
    std::vector<elf::RegisterBlock::Record> &from = origins[i].records;
    const auto size = sizes.find(blocks[i].function);
    if (blocks[i].function != origins[i].function || from.size() != blocks[i].records.size() ||
        size == sizes.end())
      continue;
    std::stable_sort(from.begin(), from.end(), [](const auto &a, const auto &b) {
      return std::pair(a.number, a.start) < std::pair(b.number, b.start);
    });
    for (size_t k = 0; k < from.size(); ++k) {
      if (from[k].start >= size->second)
        unknown.push_back(blocks[i].records[k].offset);
      if (from[k].end >= size->second)
        unknown.push_back(blocks[i].records[k].offset + sizeof(u32));
    }
  }
  for (const u64 offset : unknown)
    store_le<u32>(linked_file.data() + table->offset + offset, 0);
}

} // namespace culink
