// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An engine works on every function of an object, also on those that the link does not need. Of a
// library with a hundred functions a program may need five. So the others are taken out of the copy
// that the engine gets: their sections become empty, their symbols undefined (or empty,
// if they were local), and records, relocations and pairs of the call graph that are about them are
// left out. Nothing is renumbered. An engine finalizes one function at a time, whatever else is in
// the file, so the others get the same code as before; the comparisons with nvlink show it.
//
// What may surprise: frames and line sequences stay, without the relocation that says whose they
// are. Nobody finds them then.
//
// Local functions that wanted ones call stay. An object with anything else that refers to functions
// by number is not taken apart: debug information of -G, tables of unified functions, several
// sections of one name.
#include "finalize/prune.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <string_view>

#include "base/bytes.h"
#include "base/string_index.h"
#include "elf/codec.h"
#include "elf/mercury_names.h"
#include "elf/records/nv_callgraph.h"
#include "elf/records/nv_info.h"
#include "elf/wire.h"

namespace culink {

namespace {

using elf::SectionType;

constexpr std::string_view kCode = ".text.", kMercuryPrefix = ".nv.merc";

std::string_view plain_name(const elf::Section &section) {
  std::string_view name = section.name;
  if (section.is_mercury() && name.starts_with(kMercuryPrefix))
    name.remove_prefix(kMercuryPrefix.size());
  return name;
}

// Sections with parts that belong to functions, which relocations tell.
bool is_split_by_relocations(const elf::Section &section) {
  const std::string_view name = plain_name(section);
  return name == ".debug_frame" || name == ".debug_line" || name == ".nv_debug_line_sass";
}

// Whether all that the section says about functions is known here.
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

// Local functions cannot be undefined: those that wanted code calls are wanted, too.
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

// By section: it belongs to a function that is not wanted.
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

  // Where a symbol that became empty is still needed, the object is not taken apart.
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

  // Contents one after the other, then the headers.
  [[nodiscard]] std::vector<u8> write() const {
    std::vector<u8> file(object_.file().begin(),
                         object_.file().begin() + sizeof(elf::wire::Ehdr64));
    std::vector<u8> headers(object_.sections().size() * sizeof(elf::wire::Shdr64));
    for (const elf::Section &section : object_.sections()) {
      const u64 at = section.index * sizeof(elf::wire::Shdr64);
      if (unwanted_[section.index]) {
        // Engines crash where a section of no type follows others.
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
  std::map<u32, std::vector<u8>> contents_; // of sections that change
  bool failed_ = false;
};

} // namespace

std::optional<std::vector<u8>> prune_object(const elf::ElfView &object,
                                            std::span<const u32> wanted) {
  return wanted.empty() ? std::nullopt : Pruner(object, wanted).run();
}

} // namespace culink
