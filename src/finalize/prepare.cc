// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The engine is a linker: it misses what other objects define and removes what no kernel reaches.
// So a copy of the object is changed in place: names in both symbol tables, and sections that have
// to grow are written again at the end of the file, to which their headers then point.
//
// What may surprise: only one record in .nv.merc.nv.info (an error barrier before each exit of a
// kernel) tells the engine that code of the link was compiled with -G. The debug information does
// not matter, nor does the same record in .nv.info. Likewise one tells it that there are samplers.
//
// An object that a relocatable link has made may have several local functions of one name. Engines
// find records and relocations of code by name, so that all but the first get what is the first's;
// in the copy they have names of their own, unless that is wanted (Q110).
#include "finalize/prepare.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string>

#include "arch/driver_functions.h"
#include "base/bytes.h"
#include "base/string_index.h"
#include "elf/codec.h"
#include "elf/records/nv_callgraph.h"
#include "elf/records/nv_info.h"
#include "elf/records/nv_registers.h"
#include "elf/wire.h"

namespace culink {

namespace {

constexpr u64 kSymbolBytes = sizeof(elf::wire::Sym64);
constexpr u64 kSectionAlignment = 8;

// What every object may leave undefined: symbols of the system.
bool is_systems_own(const elf::Symbol &symbol) {
  return symbol.name.starts_with("__UFT") || symbol.name.starts_with("__UDT") ||
         symbol.name.starts_with(".nv.");
}

// Functions and variables that other objects define get names of functions that the driver might
// provide, which are the only ones that every engine lets a program leave undefined. Shared
// variables become dynamic memory, which has no size and is undefined in every program.
void hide_undefined(const elf::ElfView &object, const elf::Section &table, const NameSet &defined,
                    std::vector<u8> &names, std::vector<u8> &file) {
  constexpr std::string_view kDriverPrefix = "__cuda_syscall_";
  const elf::SymbolTable symbols = object.symbols(table);
  for (u32 i = 1; i < symbols.size(); ++i) {
    const elf::Symbol symbol = symbols[i];
    if (!symbol.undefined() || symbol.binding() == elf::SymbolBinding::Local ||
        arch::is_driver_function(symbol.name))
      continue;
    u8 *entry = file.data() + table.offset + i * kSymbolBytes;
    auto wire = load_le<elf::wire::Sym64>(entry);
    if ((symbol.other & elf::kOtherShared) != 0) {
      if (!defined.contains(symbol.name))
        store_le<u64>(entry + offsetof(elf::wire::Sym64, st_size), 0);
      continue;
    }
    const auto set_info = [&wire](elf::SymbolBinding binding, elf::SymbolType type) {
      wire.st_info = static_cast<u8>(static_cast<u8>(binding) << 4 | static_cast<u8>(type));
    };
    // Engines crash on kernels that are missing; as a device function one may be.
    wire.st_other = static_cast<u8>(wire.st_other & ~elf::kOtherKernel);
    if (is_systems_own(symbol)) {
      set_info(elf::SymbolBinding::Weak, symbol.type());
    } else if (!defined.contains(symbol.name)) {
      set_info(elf::SymbolBinding::Global, elf::SymbolType::Function);
      wire.st_other = static_cast<u8>(wire.st_other & elf::kOtherVisibilityMask);
      wire.st_name = static_cast<u32>(names.size());
      elf::append_bytes(names, as_bytes(std::string(kDriverPrefix).append(symbol.name)));
      names.push_back(0);
    }
    store_le(entry, wire);
  }
}

// Of all functions whose code is in these sections, or of all.
NameSet wanted_functions(const elf::ElfView &object, std::span<const u32> only) {
  NameSet out;
  const elf::SymbolTable symbols = object.symbols();
  for (u32 i = 1; i < symbols.size(); ++i)
    if (const elf::Symbol symbol = symbols[i];
        symbol.type() == elf::SymbolType::Function && symbol.in_section() &&
        (only.empty() || std::find(only.begin(), only.end(), symbol.section) != only.end()))
      out.insert(symbol.name);
  return out;
}

// The section has these contents now.
void replace_section(const elf::ElfView &object, const elf::Section &section, ByteSpan contents,
                     std::vector<u8> &file) {
  file.resize(align_up(file.size(), kSectionAlignment));
  const u64 offset = file.size();
  elf::append_bytes(file, contents);
  u8 *header = file.data() + object.header().shoff + section.index * sizeof(elf::wire::Shdr64);
  store_le<u64>(header + offsetof(elf::wire::Shdr64, sh_offset), offset);
  store_le<u64>(header + offsetof(elf::wire::Shdr64, sh_size), contents.size());
}

// By section: how many of its name precede it.
std::vector<u32> count_earlier_names(const elf::ElfView &object) {
  std::vector<u32> out(object.sections().size(), 0);
  NameMap<u32> seen;
  for (const elf::Section &section : object.sections())
    if (!section.name.empty())
      out[section.index] = seen[section.name]++;
  return out;
}

// Adds a name that differs from earlier ones, and returns its offset.
u32 add_distinct_name(std::vector<u8> &table, std::string_view name, u32 number) {
  const auto offset = static_cast<u32>(table.size());
  elf::append_bytes(table, as_bytes(std::string(name) + "~" + std::to_string(number)));
  table.push_back(0);
  return offset;
}

// Sections of one name, and the functions in them.
std::optional<Error> tell_names_apart(const elf::ElfView &object, const elf::Section &symbols,
                                      const elf::Section &mercury, std::vector<u8> &table,
                                      std::vector<u8> &file) {
  const std::vector<u32> earlier = count_earlier_names(object);
  if (std::all_of(earlier.begin(), earlier.end(), [](u32 count) { return count == 0; }))
    return std::nullopt;
  const elf::Section &section_names = object.sections()[object.header().name_section];
  const elf::Section &names = object.sections()[symbols.link];
  if (section_names.index == names.index)
    return Error{elf::describe_section(names), "", "has names of sections and of symbols"};
  std::vector<u8> section_table(section_names.data.begin(), section_names.data.end());
  for (const elf::Section &section : object.sections()) {
    u8 *header = file.data() + object.header().shoff + section.index * sizeof(elf::wire::Shdr64);
    if (const u32 count = earlier[section.index]; count != 0)
      store_le<u32>(header + offsetof(elf::wire::Shdr64, sh_name),
                    add_distinct_name(section_table, section.name, count));
  }
  for (const elf::Section *which : {&symbols, &mercury}) {
    const elf::SymbolTable entries = object.symbols(*which);
    for (u32 i = 1; i < entries.size(); ++i) {
      const elf::Symbol symbol = entries[i];
      if (symbol.type() != elf::SymbolType::Function || !symbol.in_section() ||
          earlier[symbol.section] == 0)
        continue;
      store_le<u32>(file.data() + which->offset + i * kSymbolBytes,
                    add_distinct_name(table, symbol.name, earlier[symbol.section]));
    }
  }
  replace_section(object, section_names, section_table, file);
  return std::nullopt;
}

// The call graph, with every wanted device function among those whose address is taken.
std::vector<u8> with_all_taken(const elf::ElfView &object, const NameSet &wanted,
                               elf::CallGraph graph) {
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
    if (symbol.type() == elf::SymbolType::Function && symbol.in_section() && !kernel && !taken[i] &&
        wanted.contains(symbol.name))
      group->pairs.push_back({i, prototype_of[i]});
  }
  return elf::encode_call_graph(graph);
}

// The records of the program, with such a one among them.
std::vector<u8> with_mark(std::vector<u8> records, elf::InfoAttribute mark) {
  for (const elf::InfoRecord &record : elf::InfoRecords(records))
    if (record.attribute == mark)
      return records;
  elf::append_bytes(
      records, std::array<u8, elf::kRecordHeaderSize>{static_cast<u8>(elf::RecordFormat::NoValue),
                                                      static_cast<u8>(mark)});
  return records;
}

std::vector<u8> with_marks(const elf::Section &info, const Preparation &how) {
  std::vector<u8> out(info.data.begin(), info.data.end());
  if (how.debug_code)
    out = with_mark(std::move(out), elf::InfoAttribute::GenErrbarAtExit);
  if (how.independent_textures)
    out = with_mark(std::move(out), elf::InfoAttribute::TexmodeIndependent);
  return out;
}

} // namespace

Result<std::vector<u8>> prepare_object(const elf::ElfView &object, const Preparation &how) {
  const elf::Section *symbols = object.find(".symtab");
  const elf::Section *mercury = object.find(".nv.merc.symtab");
  if (object.header().elf_class() != elf::ElfClass::Elf64 || !symbols || !mercury ||
      symbols->link != mercury->link || symbols->link >= object.sections().size())
    return Error{"", "", "has no Mercury code"};
  std::vector<u8> file(object.file().begin(), object.file().end());
  const elf::Section &strings = object.sections()[symbols->link];
  std::vector<u8> names(strings.data.begin(), strings.data.end());
  hide_undefined(object, *symbols, how.defined, names, file);
  hide_undefined(object, *mercury, how.defined, names, file);
  const NameSet wanted = wanted_functions(object, how.only);
  if (how.distinct_names)
    if (std::optional<Error> error = tell_names_apart(object, *symbols, *mercury, names, file))
      return std::move(*error);
  replace_section(object, strings, names, file);
  for (const std::string_view name : {".nv.callgraph", ".nv.merc.nv.callgraph"})
    if (const elf::Section *section = object.find(name)) {
      const elf::CallGraph graph = elf::decode_call_graph(section->data);
      if (!graph.violations.empty())
        return Error{elf::describe_section(*section), "", graph.violations.front().message};
      replace_section(object, *section, with_all_taken(object, wanted, graph), file);
    }
  const elf::Section *info = object.find(".nv.merc.nv.info");
  if (info && (how.debug_code || how.independent_textures))
    replace_section(object, *info, with_marks(*info, how), file);
  return file;
}

NameSet defined_names(const elf::ElfView &object) {
  NameSet out;
  const elf::SymbolTable symbols = object.symbols();
  for (u32 i = 1; i < symbols.size(); ++i)
    if (const elf::Symbol symbol = symbols[i];
        !symbol.undefined() && symbol.binding() != elf::SymbolBinding::Local)
      out.insert(symbol.name);
  return out;
}

void agree_on_kernels(std::span<std::vector<u8>> files) {
  OwnedNameSet kernels;
  const auto each = [&files](const auto &act) {
    for (std::vector<u8> &file : files) {
      const Result<elf::ElfView> view = elf::ElfView::open(file);
      for (const std::string_view name : {".symtab", ".nv.merc.symtab"}) {
        const elf::Section *table = view ? view->find(name) : nullptr;
        if (!table || table->link >= view->sections().size())
          continue;
        for (u64 at = kSymbolBytes; at + kSymbolBytes <= table->data.size(); at += kSymbolBytes) {
          u8 *entry = file.data() + table->offset + at;
          const u32 text = load_le<elf::wire::Sym64>(entry).st_name;
          act(entry, c_string_at(view->sections()[table->link].data, text).value_or(""));
        }
      }
    }
  };
  each([&kernels](const u8 *entry, std::string_view name) {
    const auto symbol = load_le<elf::wire::Sym64>(entry);
    if (symbol.st_shndx != elf::kSectionUndefined && (symbol.st_other & elf::kOtherKernel) != 0)
      kernels.emplace(name);
  });
  each([&kernels](u8 *entry, std::string_view name) {
    auto symbol = load_le<elf::wire::Sym64>(entry);
    if (symbol.st_shndx == elf::kSectionUndefined && kernels.contains(std::string(name))) {
      symbol.st_other |= elf::kOtherKernel;
      store_le(entry, symbol);
    }
  });
}

std::string kernels_in(const elf::ElfView &object, std::span<const u32> sections) {
  std::string out;
  const NameSet wanted = wanted_functions(object, sections);
  const elf::SymbolTable symbols = object.symbols();
  for (u32 i = 1; i < symbols.size(); ++i)
    if (const elf::Symbol symbol = symbols[i];
        (symbol.other & elf::kOtherKernel) != 0 && wanted.contains(symbol.name)) {
      out.append(out.empty() ? "" : ",");
      out.append(symbol.name);
    }
  return out;
}

void hide_registers(std::span<const std::string_view> functions, std::vector<u8> &file) {
  constexpr u8 kNoName = 1; // nothing has a name that begins so
  const Result<elf::ElfView> view = elf::ElfView::open(file);
  if (!view)
    return;
  std::vector<u64> offsets;
  for (const elf::Section &section : view->sections())
    if (section.name == ".nv_debug_info_reg_sass" ||
        section.name == ".nv.merc.nv_debug_info_reg_sass")
      for (const elf::RegisterBlock &block : elf::split_registers(section.data))
        if (std::find(functions.begin(), functions.end(), block.function) != functions.end())
          offsets.push_back(section.offset + block.offset);
  for (const u64 offset : offsets)
    file[offset] = kNoName;
}

} // namespace culink
