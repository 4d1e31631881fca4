// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// base-TARGET.yaml is an object of ptxas in text form with two tables of relocations added, one of
// each kind and with one entry each, and a symbol `spare`. A probe overwrites one entry, empties
// the other table, and turns the spare symbol into whatever the case wants; so all objects differ
// in a few bytes, and neither linker sees anything but the relocation in question.
#include "probe.h"

#include <algorithm>
#include <array>

#include "elf/elf_view.h"
#include "support/bytes.h"
#include "support/mapped_file.h"
#include "yaml/document/document.h"
#include "yaml/text_form.h"

namespace culink::reloc_test {

namespace {

// st_info
constexpr u8 kGlobal = 0x10, kWeak = 0x20;
constexpr u8 kNoType = 0, kFunction = 2, kCudaObject = 13;
// st_other
constexpr u8 kInGlobal = 0x20, kInConstant = 0x80;

constexpr std::string_view kSpare = "spare";

constexpr std::array kCases = std::to_array<SymbolCase>({
    {.name = "no_symbol", .symbol = ""},
    {.name = "own_kernel", .symbol = "place"},
    {.name = "other_kernel", .symbol = "other_kernel"},
    {.name = "function", .symbol = "live_function"},
    {.name = "weak_function", .symbol = "weak_function"},
    {.name = "local_function", .symbol = "local_function"},
    {.name = "dead_function", .symbol = "dead_function"},
    {.name = "syscall", .symbol = "vprintf"},
    {.name = "global", .symbol = "plain_global"},
    {.name = "initialized_global", .symbol = "set_global"},
    {.name = "weak_global", .symbol = "weak_global"},
    {.name = "local_global", .symbol = "local_global"},
    {.name = "common_global", .symbol = "common_global"},
    {.name = "managed_global", .symbol = "managed_global"},
    {.name = "constant", .symbol = "set_constant"},
    {.name = "weak_constant", .symbol = "weak_constant"},
    {.name = "local_constant", .symbol = "local_constant"},
    {.name = "parameter_bank", .symbol = "_param"},
    {.name = "shared", .symbol = "shared_array"},
    {.name = "dynamic_shared", .symbol = "dynamic_shared"},
    {.name = "texture", .symbol = "texture_0"},
    {.name = "sampler", .symbol = "sampler_0"},
    {.name = "surface", .symbol = "surface_0"},
    {.name = "unified_offset", .symbol = "__UFT_OFFSET"},
    {.name = "unified_data_offset", .symbol = "__UDT_OFFSET"},
    {.name = "unified_functions", .symbol = "__UFT"},
    {.name = "unified_data", .symbol = "__UDT_CANONICAL"},
    {.name = "reserved_shared", .symbol = ".nv.reservedSmem.offset0"},
    {.name = "section_own_code", .symbol = ".text.place", .section_symbol = true},
    {.name = "section_other_code", .symbol = ".text.live_function", .section_symbol = true},
    {.name = "section_global", .symbol = ".nv.global", .section_symbol = true},
    {.name = "section_initialized", .symbol = ".nv.global.init", .section_symbol = true},
    {.name = "section_constant", .symbol = ".nv.constant3", .section_symbol = true},
    {.name = "section_parameters", .symbol = ".nv.constant0.place", .section_symbol = true},
    {.name = "section_debug", .symbol = ".debug_frame", .section_symbol = true},
    {.name = "undefined_function", .symbol = kSpare, .info = kGlobal | kFunction},
    {.name = "undefined_global",
     .symbol = kSpare,
     .info = kGlobal | kCudaObject,
     .other = kInGlobal},
    {.name = "undefined_constant",
     .symbol = kSpare,
     .info = kGlobal | kCudaObject,
     .other = kInConstant},
    {.name = "weak_undefined_function", .symbol = kSpare, .info = kWeak | kFunction},
    {.name = "weak_undefined_global",
     .symbol = kSpare,
     .info = kWeak | kCudaObject,
     .other = kInGlobal},
    {.name = "weak_undefined_constant",
     .symbol = kSpare,
     .info = kWeak | kCudaObject,
     .other = kInConstant},
    {.name = "untyped_in_global",
     .symbol = kSpare,
     .info = kGlobal | kNoType,
     .section = ".nv.global.init",
     .value = 8},
});

// Offsets in the 64-bit wire structures.
constexpr u64 kShSize = 32, kShInfo = 44;
constexpr u64 kSectionHeader = 64, kSymbolEntry = 24;
constexpr u64 kStInfo = 4, kStOther = 5, kStShndx = 6, kStValue = 8;
constexpr u64 kRInfo = 8, kRAddend = 16;

u32 number_of(const elf::ElfView &view, const SymbolCase &wanted) {
  const elf::SymbolTable symbols = view.symbols();
  for (u32 i = 1; i < symbols.size(); ++i) {
    const elf::Symbol symbol = symbols[i];
    const bool is_section = symbol.type() == elf::SymbolType::Section;
    const std::string_view name = is_section ? view.sections()[symbol.section].name : symbol.name;
    if (name == wanted.symbol && is_section == wanted.section_symbol)
      return i;
  }
  return 0;
}

u16 section_number(const elf::ElfView &view, std::string_view name) {
  if (name.empty())
    return 0;
  const elf::Section *found = view.find(name);
  return found ? static_cast<u16>(found->index) : u16{0};
}

} // namespace

std::span<const SymbolCase> symbol_cases() {
  return kCases;
}

Result<std::vector<u8>> assemble_file(const std::string &yaml_path) {
  const Result<MappedFile> file = MappedFile::open(yaml_path);
  if (!file)
    return file.error();
  const ByteSpan bytes = file->bytes();
  const Result<text::Node> document =
      text::read_yaml({reinterpret_cast<const char *>(bytes.data()), bytes.size()});
  if (!document)
    return document.error();
  return text::assemble(*document);
}

Result<Probe> Probe::open(const std::string &yaml_path) {
  Result<std::vector<u8>> file = assemble_file(yaml_path);
  if (!file)
    return file.error();
  Probe probe;
  probe.base_ = *std::move(file);
  const Result<elf::ElfView> view = elf::ElfView::open_tolerant(probe.base_);
  if (!view)
    return view.error();
  if (!probe.has(*std::ranges::find(kCases, kSpare, &SymbolCase::symbol)))
    return Error{yaml_path, "symbols", "no " + std::string(kSpare)};
  for (const std::string_view table : {".rel.text.place", ".rela.text.place"})
    if (!view->find(table))
      return Error{yaml_path, "sections", "no " + std::string(table)};
  return probe;
}

bool Probe::has(const SymbolCase &symbol) const {
  return symbol.symbol.empty() ||
         number_of(elf::ElfView::open_tolerant(base_).value(), symbol) != 0;
}

std::vector<u8> Probe::make(const SymbolCase &symbol, Table table, u32 type) const {
  std::vector<u8> file = base_;
  const elf::ElfView view = elf::ElfView::open_tolerant(base_).value();
  const elf::Section &rel = *view.find(".rel.text.place");
  const elf::Section &rela = *view.find(".rela.text.place");
  const elf::Section &used = table == Table::Rel ? rel : rela;
  const elf::Section &unused = table == Table::Rel ? rela : rel;
  const u32 number = symbol.symbol.empty() ? 0 : number_of(view, symbol);
  store_le<u64>(&file[used.offset], kPlace);
  store_le<u64>(&file[used.offset + kRInfo], u64{number} << 32 | type);
  if (table == Table::Rela)
    store_le<i64>(&file[used.offset + kRAddend], kAddend);
  store_le<u64>(&file[view.header().shoff + u64{unused.index} * kSectionHeader + kShSize], 0);
  if (symbol.symbol == kSpare) {
    // The spare symbol is the last one that counts as local, as weak ones do; it may move over.
    if (symbol.info >> 4 == kGlobal >> 4)
      store_le<u32>(
          &file[view.header().shoff + u64{view.find(".symtab")->index} * kSectionHeader + kShInfo],
          number);
    u8 *entry = &file[view.find(".symtab")->offset + u64{number} * kSymbolEntry];
    entry[kStInfo] = symbol.info;
    entry[kStOther] = symbol.other;
    store_le<u16>(entry + kStShndx, section_number(view, symbol.section));
    store_le<u64>(entry + kStValue, symbol.value);
  }
  return file;
}

} // namespace culink::reloc_test
