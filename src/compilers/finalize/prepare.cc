// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The engine is a linker: it requires the definitions of other objects and removes functions that
// no kernel reaches. So a copy of the object is changed in place: names in both symbol tables are
// replaced, and sections that grow are appended to the file and their headers are updated. The
// second half of this file removes functions from such a copy.
//
// What may surprise: for the engine, only one record in .nv.merc.nv.info (an error barrier before
// each exit of a kernel) marks code of the link as compiled with -G. The debug information does not
// matter, nor does the same record in .nv.info. Another record marks the use of samplers.
//
// An object of a relocatable link may have several local functions of one name. Engines find
// records and relocations of code by name, so that all these functions get those of the first. The
// copy has distinct names instead, unless the link depends on the engine's behaviour (Q110).
#include "compilers/finalize/prepare.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "elf/codec.h"
#include "elf/names.h"
#include "elf/records/nv_callgraph.h"
#include "elf/records/nv_info.h"
#include "elf/records/nv_registers.h"
#include "elf/replace_section.h"
#include "elf/target/driver_functions.h"
#include "elf/wire.h"
#include "support/bytes.h"
#include "support/string_index.h"

namespace culink {

namespace {

constexpr u64 kSymbolBytes = sizeof(elf::wire::Sym64);

// True for symbols of the system, which every object may leave undefined.
bool is_systems_own(const elf::Symbol &symbol) {
  return symbol.name.starts_with("__UFT") || symbol.name.starts_with("__UDT") ||
         symbol.name.starts_with(".nv.");
}

// Functions and variables that other objects define get names of functions that the driver might
// provide: these are the only names that every engine lets a program leave undefined. Shared
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
    // Engines crash on undefined kernels, so the symbol becomes an undefined device function.
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

// Returns the names of all functions, or of those with code in the sections `only`.
NameSet wanted_functions(const elf::ElfView &object, std::span<const u32> only) {
  NameSet out;
  for (const elf::Symbol &symbol : object.symbols().all())
    if (symbol.type() == elf::SymbolType::Function && symbol.in_section() &&
        (only.empty() || std::find(only.begin(), only.end(), symbol.section) != only.end()))
      out.insert(symbol.name);
  return out;
}

// Returns, by section, the number of earlier sections of the same name.
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

// Gives distinct names to sections of one name and to the functions in them.
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
  elf::append_section(file, section_names.index, section_table);
  return std::nullopt;
}

// Returns the call graph with the address of every wanted device function taken.
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

// Returns the records of the module with `mark` among them.
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
  elf::append_section(file, strings.index, names);
  for (const std::string_view name : {".nv.callgraph", ".nv.merc.nv.callgraph"})
    if (const elf::Section *section = object.find(name)) {
      const elf::CallGraph graph = elf::decode_call_graph(section->data);
      if (!graph.violations.empty())
        return Error{elf::describe_section(*section), "", graph.violations.front().message};
      elf::append_section(file, section->index, with_all_taken(object, wanted, graph));
    }
  const elf::Section *info = object.find(".nv.merc.nv.info");
  if (info && (how.debug_code || how.independent_textures))
    elf::append_section(file, info->index, with_marks(*info, how));
  return file;
}

NameSet defined_names(const elf::ElfView &object) {
  NameSet out;
  for (const elf::Symbol &symbol : object.symbols().all())
    if (!symbol.undefined() && symbol.binding() != elf::SymbolBinding::Local)
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
  for (const elf::Symbol &symbol : object.symbols().all())
    if ((symbol.other & elf::kOtherKernel) != 0 && wanted.contains(symbol.name)) {
      out.append(out.empty() ? "" : ",");
      out.append(symbol.name);
    }
  return out;
}

void hide_registers(std::span<const std::string_view> functions, std::vector<u8> &file) {
  constexpr u8 kNoName = 1; // a first byte that is not the first byte of any name
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

// An engine works on every function of an object, also on those that the link does not need: a
// program may need five functions of a library with a hundred. So the others are removed from the
// engine's copy. Their sections become empty, their symbols undefined (or empty, if they were
// local), and records, relocations and call graph pairs about them are dropped. Numbers do not
// change. An engine finalizes each function independently of the rest of the file, so the remaining
// functions get the same code as before; the comparisons with nvlink confirm it.
//
// What may surprise: frames and line sequences of removed functions stay, without the relocation
// that names the function. So they are ignored.
//
// Local functions that wanted functions call stay. An object with other references to functions by
// number is not pruned: debug information of -G, tables of unified functions, several sections of
// one name.

namespace {

using elf::SectionType;

constexpr std::string_view kCode = ".text.", kMercuryPrefix = ".nv.merc";

std::string_view plain_name(const elf::Section &section) {
  std::string_view name = section.name;
  if (section.is_mercury() && name.starts_with(kMercuryPrefix))
    name.remove_prefix(kMercuryPrefix.size());
  return name;
}

// Sections with parts that belong to functions. Relocations identify the function of each part.
bool is_split_by_relocations(const elf::Section &section) {
  const std::string_view name = plain_name(section);
  return name == ".debug_frame" || name == ".debug_line" || name == ".nv_debug_line_sass";
}

// True if all references to functions in the section are understood here.
bool is_familiar(const elf::Section &section) {
  constexpr std::array kTypes = {
      SectionType::Null,           SectionType::Symtab,        SectionType::Strtab,
      SectionType::Rela,           SectionType::Note,          SectionType::CudaInfo,
      SectionType::CudaCallgraph,  SectionType::CudaPrototype, SectionType::CudaGlobal,
      SectionType::CudaGlobalInit, SectionType::CudaLocal,     SectionType::CudaShared,
      SectionType::CudaCapmerc,    SectionType::CudaCompat,    SectionType::CudaReservedShared};
  if (section.type == SectionType::Progbits)
    return section.name.starts_with(kCode) || is_split_by_relocations(section) ||
           plain_name(section).starts_with(".nv_debug_ptx_txt");
  const SectionType type = elf::mirrored_type(section.type);
  return std::find(kTypes.begin(), kTypes.end(), type) != kTypes.end() ||
         (type >= SectionType::CudaConstantB0 && type <= SectionType::CudaConstantB17) ||
         (type >= SectionType::MercuryConstantParams && type <= SectionType::MercuryConstantTools);
}

bool is_relocation_table(const elf::Section &section) {
  return section.type == SectionType::Rela || section.type == SectionType::MercuryRela;
}

// Local functions cannot be undefined, so the local callees of wanted code become wanted.
void want_local_callees(const elf::ElfView &object, std::vector<bool> &unwanted) {
  for (bool more = true; more;) {
    more = false;
    for (const elf::Section &table : object.sections()) {
      if (table.type != SectionType::Rela || table.info >= unwanted.size() ||
          unwanted[table.info] || !object.sections()[table.info].name.starts_with(kCode))
        continue;
      const elf::SymbolTable symbols = object.linked_symbols(table);
      const elf::RelocationTable relocations = object.relocations(table);
      for (u32 i = 0; i < relocations.size(); ++i) {
        if (relocations[i].symbol >= symbols.size())
          continue;
        const elf::Symbol symbol = symbols[relocations[i].symbol];
        if (symbol.binding() == elf::SymbolBinding::Local && symbol.in_section() &&
            symbol.section < unwanted.size() && unwanted[symbol.section]) {
          unwanted[symbol.section] = false;
          more = true;
        }
      }
    }
  }
}

// Returns, by section, true if it belongs to an unwanted function.
std::vector<bool> find_unwanted(const elf::ElfView &object, std::span<const u32> wanted) {
  std::vector<bool> out(object.sections().size());
  for (const elf::Section &section : object.sections())
    out[section.index] = section.name.starts_with(kCode) &&
                         std::find(wanted.begin(), wanted.end(), section.index) == wanted.end();
  want_local_callees(object, out);
  for (const elf::Section &section : object.sections())
    if (section.type == SectionType::CudaCapmerc) {
      const std::optional<u32> code = load_at<u32>(section.data, 0); // the number of its code
      out[section.index] = code && *code < out.size() && out[*code];
    }
  for (bool more = true; more;) {
    more = false;
    for (const elf::Section &section : object.sections())
      if (!out[section.index] && (section.flags & elf::kFlagInfoLink) != 0 &&
          section.info < out.size() && out[section.info])
        out[section.index] = more = true;
  }
  return out;
}

// A symbol in the copy.
enum class SymbolState : u8 { Kept, Undefined, Gone };

class Pruner {
public:
  Pruner(const elf::ElfView &object, std::span<const u32> wanted)
      : object_(object), unwanted_(find_unwanted(object, wanted)) {}

  std::optional<std::vector<u8>> run() {
    const bool some = std::find(unwanted_.begin(), unwanted_.end(), true) != unwanted_.end();
    if (!some || !can_be_pruned())
      return std::nullopt;
    for (const elf::Section &section : object_.sections())
      if (!unwanted_[section.index] && is_symbol_table(section))
        prune_symbols(section);
    for (const elf::Section &section : object_.sections())
      if (!unwanted_[section.index])
        prune_contents(section);
    if (failed_)
      return std::nullopt;
    return write();
  }

private:
  using States = std::vector<SymbolState>; // by symbol

  static bool is_symbol_table(const elf::Section &section) {
    return section.type == SectionType::Symtab || section.type == SectionType::MercurySymtab;
  }

  [[nodiscard]] bool can_be_pruned() const {
    if (object_.header().elf_class() != elf::ElfClass::Elf64)
      return false;
    NameSet names;
    for (const elf::Section &section : object_.sections())
      if (!is_familiar(section) || (section.index != 0 && !names.insert(section.name).second))
        return false;
    return true;
  }

  // If an emptied symbol is still referenced, the object is not pruned.
  [[nodiscard]] SymbolState state(u32 table, u32 symbol) const {
    const auto found = states_.find(table);
    return found == states_.end() || symbol >= found->second.size() ? SymbolState::Kept
                                                                    : found->second[symbol];
  }
  void need(u32 table, u32 symbol) {
    failed_ = failed_ || state(table, symbol) == SymbolState::Gone;
  }

  void prune_symbols(const elf::Section &table) {
    const elf::SymbolTable symbols = object_.symbols(table);
    std::vector<u8> contents(table.data.begin(), table.data.end());
    States &states = states_[table.index];
    states.resize(symbols.size());
    for (u32 i = 1; i < symbols.size(); ++i) {
      const elf::Symbol symbol = symbols[i];
      if (!symbol.in_section() || symbol.section >= unwanted_.size() || !unwanted_[symbol.section])
        continue;
      u8 *entry = contents.data() + i * sizeof(elf::wire::Sym64);
      const bool local = symbol.binding() == elf::SymbolBinding::Local;
      states[i] = local ? SymbolState::Gone : SymbolState::Undefined;
      auto wire = local ? elf::wire::Sym64{} : load_le<elf::wire::Sym64>(entry);
      wire.st_shndx = elf::kSectionUndefined;
      wire.st_value = wire.st_size = 0;
      store_le(entry, wire);
    }
    contents_[table.index] = std::move(contents);
  }

  void prune_contents(const elf::Section &section) {
    if (is_relocation_table(section))
      prune_relocations(section);
    else if (section.type == SectionType::CudaInfo || section.type == SectionType::MercuryInfo)
      prune_info(section);
    else if (section.type == SectionType::CudaCallgraph ||
             section.type == SectionType::MercuryCallgraph)
      prune_call_graph(section);
    else if (section.type == SectionType::CudaPrototype ||
             section.type == SectionType::MercuryPrototype)
      prune_prototypes(section);
  }

  void prune_relocations(const elf::Section &table) {
    const elf::RelocationTable relocations = object_.relocations(table);
    const bool split = table.info < object_.sections().size() &&
                       is_split_by_relocations(object_.sections()[table.info]);
    std::vector<u8> kept;
    for (u32 i = 0; i < relocations.size(); ++i) {
      const u32 symbol = relocations[i].symbol;
      if (split && state(table.link, symbol) != SymbolState::Kept)
        continue;
      need(table.link, symbol);
      elf::append_bytes(
          kept, table.data.subspan(i * sizeof(elf::wire::Rela64), sizeof(elf::wire::Rela64)));
    }
    if (kept.size() != table.data.size())
      contents_[table.index] = std::move(kept);
  }

  void prune_info(const elf::Section &section) {
    elf::InfoSection info = elf::decode_info(section.data);
    failed_ = failed_ || !info.violations.empty();
    const size_t before = info.records.size();
    std::erase_if(info.records, [&](const elf::InfoRecord &record) {
      const u32 words = symbol_word_count(record);
      const auto symbol = [&](u32 i) { return load_le<u32>(record.payload.data() + i * 4); };
      if (words != 0 && section.info == 0 && state(section.link, symbol(0)) != SymbolState::Kept)
        return true;
      for (u32 i = 0; i < words; ++i)
        need(section.link, symbol(i));
      return false;
    });
    if (info.records.size() != before)
      contents_[section.index] = elf::encode_info(info);
  }

  void prune_call_graph(const elf::Section &section) {
    elf::CallGraph graph = elf::decode_call_graph(section.data);
    failed_ = failed_ || !graph.violations.empty();
    for (elf::CallGroup &group : graph.groups)
      std::erase_if(group.pairs, [&](const elf::CallPair &pair) {
        if (state(section.link, pair.first) != SymbolState::Kept)
          return true;
        if (!second_is_prototype(group.part))
          need(section.link, pair.second);
        return false;
      });
    contents_[section.index] = elf::encode_call_graph(graph);
  }

  void prune_prototypes(const elf::Section &section) {
    elf::PrototypeSection prototypes = elf::decode_prototypes(section.data);
    failed_ = failed_ || !prototypes.violations.empty();
    std::erase_if(prototypes.records, [&](const elf::Prototype &row) {
      return state(section.link, row.symbol) != SymbolState::Kept;
    });
    contents_[section.index] = elf::encode_rows(prototypes);
  }

  // Writes the contents one after the other, then the headers.
  [[nodiscard]] std::vector<u8> write() const {
    std::vector<u8> file(object_.file().begin(),
                         object_.file().begin() + sizeof(elf::wire::Ehdr64));
    std::vector<u8> headers(object_.sections().size() * sizeof(elf::wire::Shdr64));
    for (const elf::Section &section : object_.sections()) {
      const u64 at = section.index * sizeof(elf::wire::Shdr64);
      if (unwanted_[section.index]) {
        // Engines crash if a section of type SHT_NULL follows others.
        const elf::wire::Shdr64 nothing{.sh_type = static_cast<u32>(SectionType::Nobits)};
        store_le(headers.data() + at, nothing);
        continue;
      }
      auto header = load_le<elf::wire::Shdr64>(object_.file().data() + object_.header().shoff + at);
      if (section.type != SectionType::Null) {
        const auto changed = contents_.find(section.index);
        const ByteSpan data = changed == contents_.end() ? section.data : ByteSpan(changed->second);
        file.resize(align_up(file.size(), std::max<u64>(section.align, 1)));
        header.sh_offset = file.size();
        header.sh_size = section.no_data() ? header.sh_size : data.size();
        elf::append_bytes(file, data);
      }
      store_le(headers.data() + at, header);
    }
    file.resize(align_up(file.size(), sizeof(u64)));
    store_le<u64>(file.data() + offsetof(elf::wire::Ehdr64, e_shoff), file.size());
    elf::append_bytes(file, headers);
    return file;
  }

  const elf::ElfView &object_;
  const std::vector<bool> unwanted_;
  std::map<u32, States> states_;            // by symbol table
  std::map<u32, std::vector<u8>> contents_; // of changed sections
  bool failed_ = false;
};

} // namespace

std::optional<std::vector<u8>> prune_object(const elf::ElfView &object,
                                            std::span<const u32> wanted) {
  return wanted.empty() ? std::nullopt : Pruner(object, wanted).run();
}

} // namespace culink
