// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The inputs of a link as tables, and the prevailing definitions of their names.
#include "verify/link/program.h"

#include "elf/names.h"
#include "elf/records/nv_info.h"
#include "elf/records/nv_notes.h"
#include "elf/section_kind.h"
#include "elf/target/arch.h"
#include "elf/target/elf_flags.h"
#include "support/bytes.h"
#include "support/string_index.h"

namespace culink::check {

// Tables of a device file, by section and by symbol. This part only copies the contents of the
// file. Malformed records and tables are left out; the parts that need them report them as missing.

using elf::SectionRole;
using elf::SectionType;

namespace {

// Reads the three numbers of a function that the records of the module contain.
void read_module_records(Object &object, const elf::Section &section) {
  for (const elf::InfoRecord &record : elf::InfoRecords(section.data)) {
    if (!record.sized() || record.payload.size() < 8)
      continue;
    const u32 symbol = load_le<u32>(record.payload.data());
    const u32 value = load_le<u32>(record.payload.data() + 4);
    if (symbol >= object.symbols.size())
      continue;
    if (record.attribute == elf::InfoAttribute::Regcount)
      object.registers[symbol] = value;
    else if (record.attribute == elf::InfoAttribute::FrameSize)
      object.frame[symbol] = value;
    else if (record.attribute == elf::InfoAttribute::MinStackSize)
      object.stack[symbol] = value;
  }
}

elf::CudaInfo cuda_info(const elf::Section &section) {
  for (const elf::Note &note : elf::decode_notes(section.data).notes)
    if (const Result<elf::CudaInfo> info = elf::read_cuda_info(note))
      return *info;
  return {};
}

void read_section(Object &object, const elf::Section &section) {
  switch (object.kinds[section.index].role) {
  case SectionRole::Info:
    if (object.code_of[section.index] != 0)
      object.records_of[object.code_of[section.index]] = section.index;
    else
      read_module_records(object, section);
    break;
  case SectionRole::Callgraph:
    object.calls = elf::decode_call_graph(section.data);
    break;
  case SectionRole::Prototype:
    object.prototypes = elf::decode_prototypes(section.data);
    break;
  case SectionRole::NoteCuinfo:
    object.virtual_sm = cuda_info(section).virtual_arch;
    object.toolkit = cuda_info(section).toolkit;
    break;
  default:
    break;
  }
}

// True for roles with the number of a code section in sh_info: banks, records and shared memory.
bool may_belong_to_code(SectionRole role) {
  return role == SectionRole::Info || role == SectionRole::Constant ||
         role == SectionRole::ConstantNamed || role == SectionRole::Shared ||
         role == SectionRole::Local;
}

void link_sections(Object &object) {
  const u32 count = static_cast<u32>(object.view.sections().size());
  object.code_of.assign(count, 0);
  object.first_table.assign(count, 0);
  object.next_table.assign(count, 0);
  object.records_of.assign(count, 0);
  for (const elf::Section &section : object.view.sections()) {
    const elf::SectionKind &kind = object.kinds[section.index];
    if (kind.mercury || section.info >= count)
      continue;
    if (section.type == elf::SectionType::Rel || section.type == elf::SectionType::Rela) {
      object.next_table[section.index] = object.first_table[section.info];
      object.first_table[section.info] = section.index;
    } else if (may_belong_to_code(kind.role) && object.kinds[section.info].is_code()) {
      object.code_of[section.index] = section.info;
    }
  }
}

// The Mercury object inside a file. .nv.merc.X is the Mercury form of section X,
// .nv.capmerc.text.F of the code of F, and .nv.merc.symtab of .symtab, with the same numbers. Each
// such section replaces its machine-code form, so that the checker can handle the result like any
// other file.
class PlaneReader {
public:
  explicit PlaneReader(const Object &file)
      : file_(file), sections_(file.view.sections().begin(), file.view.sections().end()) {}

  std::optional<Object> run() {
    pair_sections();
    if (symtab_ == 0)
      return std::nullopt;
    read_symbols();
    for (const elf::Section &section : file_.view.sections()) {
      const elf::SectionKind &kind = file_.kinds[section.index];
      const bool parameters =
          is_parameters(section.index) || (kind.is_relocations() && is_parameters(section.info));
      // Calls of the driver in place of Mercury instructions.
      const bool driver_calls = kind.is_relocations() && mercury_of_[section.index] == 0 &&
                                section.info < file_.kinds.size() &&
                                file_.kinds[section.info].is_code();
      if (kind.mercury || parameters || driver_calls) {
        sections_[section.index] = {};
        sections_[section.index].index = section.index;
      } else if (const u32 mercury = mercury_of_[section.index]; mercury != 0) {
        replace(section, file_.section(mercury));
      }
    }
    Object out = make_object(file_.name, file_.view.with_sections(std::move(sections_)),
                             std::move(symbols_));
    out.virtual_sm = file_.virtual_sm;
    out.toolkit = file_.toolkit;
    return out;
  }

private:
  // Pairs sections by name; sections of the same name are paired in order.
  void pair_sections() {
    mercury_of_.assign(sections_.size(), 0);
    sass_of_.assign(sections_.size(), 0);
    NameMap<std::vector<u32>> by_name; // in reverse order
    for (u32 i = static_cast<u32>(sections_.size()); i-- > 0;) {
      if (sections_[i].type == SectionType::MercurySymtab)
        symtab_ = i;
      else if (file_.kinds[i].mercury)
        by_name[sections_[i].name].push_back(i);
    }
    for (const elf::Section &section : file_.view.sections()) {
      if (section.index == 0 || file_.kinds[section.index].mercury)
        continue;
      const auto found = by_name.find(elf::mercury_counterpart_name(section.name));
      if (found == by_name.end() || found->second.empty())
        continue;
      mercury_of_[section.index] = found->second.back();
      sass_of_[found->second.back()] = section.index;
      found->second.pop_back();
    }
  }

  void read_symbols() {
    const elf::SymbolTable table = file_.view.symbols(file_.section(symtab_));
    symbols_.resize(file_.symbols.size());
    for (u32 i = 0; i < table.size() && i < symbols_.size(); ++i) {
      symbols_[i] = table[i];
      symbols_[i].name = file_.symbols[i].name;
      if (symbols_[i].in_section()) {
        symbols_[i].section = number(symbols_[i].section);
        symbols_[i].raw_section = elf::kSectionXindex;
      }
    }
  }

  void replace(const elf::Section &sass, const elf::Section &mercury) {
    elf::Section out = mercury;
    out.index = sass.index;
    out.name = sass.name;
    out.type = sass.type;
    out.flags &= ~elf::kFlagMercury;
    if (file_.kinds[sass.index].is_code()) {
      out.flags = sass.flags;
      out.align = sass.align;
      const u32 owner = mercury.info & 0xffffff;
      out.size = owner < symbols_.size() ? symbols_[owner].value + symbols_[owner].size : 0;
    } else {
      out.info = number(mercury.info);
    }
    out.link = mercury.link == symtab_ ? sass.link : mercury.link;
    sections_[sass.index] = out;
  }

  [[nodiscard]] bool is_parameters(u32 section) const {
    return section < file_.kinds.size() && file_.kinds[section].is_constant() &&
           file_.kinds[section].bank == arch::ConstantBanks{}.parameters;
  }
  [[nodiscard]] u32 number(u32 section) const {
    return section < sass_of_.size() && sass_of_[section] != 0 ? sass_of_[section] : section;
  }

  const Object &file_;
  std::vector<elf::Section> sections_;
  std::vector<u32> mercury_of_, sass_of_; // by section; 0: none
  u32 symtab_ = 0;
  std::vector<elf::Symbol> symbols_;
};

} // namespace

Object make_object(std::string_view name, elf::ElfView view, std::vector<elf::Symbol> symbols) {
  Object object(name, std::move(view));
  const elf::FileHeader &header = object.view.header();
  // Since toolkit 13 this is in a note, which is read below.
  object.virtual_sm = arch::decode_elf_target(header).virtual_sm;
  object.kinds.reserve(object.view.sections().size());
  for (const elf::Section &section : object.view.sections()) {
    object.kinds.push_back(elf::classify_section(section.name, section.type, section.flags));
    if (section.type == elf::SectionType::Symtab && section.link < object.view.sections().size())
      object.strings = object.section(section.link).data;
  }
  object.symbols = std::move(symbols);
  object.named_end.assign(object.view.sections().size(), 0);
  for (const elf::Symbol &symbol : object.symbols)
    if (symbol.in_section())
      object.named_end[symbol.section] =
          std::max(object.named_end[symbol.section], symbol.value + symbol.size);
  object.registers.assign(object.symbols.size(), kNone);
  object.frame = object.stack = object.registers;
  link_sections(object);
  for (const elf::Section &section : object.view.sections())
    if (!object.kinds[section.index].mercury)
      read_section(object, section);
  return object;
}

Result<Object> read_object(std::string_view name, ByteSpan bytes) {
  Result<elf::ElfView> view = elf::ElfView::open(bytes);
  if (!view)
    return view.error();
  const elf::SymbolTable table = view->symbols();
  std::vector<elf::Symbol> symbols;
  symbols.reserve(table.size());
  for (u32 i = 0; i < table.size(); ++i)
    symbols.push_back(table[i]);
  return make_object(name, std::move(*view), std::move(symbols));
}

std::optional<Object> read_mercury_plane(const Object &file) {
  return PlaneReader(file).run();
}

// Resolves names: finds the prevailing definition of each in one walk over all symbols, in the
// order of the inputs; the state of a name is its entity. The rules of docs/compat.md (Q029, Q055,
// Q057) are implemented a second time on purpose: this detects a linker that takes the wrong weak
// function.

using elf::SymbolBinding;
using elf::SymbolType;

namespace {

constexpr u32 kZeroedDataPrevails = 133; // from this toolkit on, over common symbols (Q057)

// False for labels, section symbols and unnamed symbols: other files cannot refer to them by name.
bool is_entity(const elf::Symbol &symbol) {
  return !symbol.name.empty() && symbol.type() != SymbolType::Section &&
         symbol.type() != SymbolType::NoType && symbol.type() != SymbolType::File;
}

// True for dynamic shared memory. It is always a declaration, even if a linker has put a symbol for
// it into a section.
bool is_dynamic_shared(const elf::Symbol &symbol) {
  return in_shared_memory(symbol.other) && symbol.size == 0 &&
         symbol.type() != SymbolType::Function;
}

class NameTable {
public:
  NameTable(std::vector<Object> objects, u32 toolkit, Report &report)
      : zeroed_data_prevails_(toolkit >= kZeroedDataPrevails), report_(report) {
    program_.objects = std::move(objects);
  }

  Program run() {
    size_t symbols = 0;
    for (const Object &object : program_.objects)
      symbols += object.symbols.size();
    program_.entities.reserve(symbols);
    for (u32 i = 0; i < program_.objects.size(); ++i) {
      const size_t count = program_.objects[i].symbols.size();
      program_.entity_of.emplace_back(count, kNone);
      program_.outcome.emplace_back(count, Outcome::None);
      for (u32 s = 1; s < count; ++s)
        if (is_entity(program_.objects[i].symbols[s]))
          read(i, s);
    }
    return std::move(program_);
  }

private:
  void read(u32 object, u32 index) {
    const elf::Symbol &symbol = program_.objects[object].symbols[index];
    const bool local = symbol.binding() == SymbolBinding::Local;
    u32 id = static_cast<u32>(program_.entities.size());
    bool is_new = true;
    if (!local) {
      const auto [number, inserted] = names_.insert(symbol.name);
      if (inserted)
        entity_of_name_.push_back(id);
      id = entity_of_name_[number];
      is_new = inserted;
    }
    if (is_new) {
      Entity &made = program_.entities.emplace_back();
      made.name = symbol.name;
      made.info = symbol.info;
      made.other = symbol.other;
      made.size = symbol.size;
      made.local = local;
    }
    program_.entity_of[object][index] = id;
    Entity &entity = program_.entities[id];
    entity.weak_reference &= symbol.binding() == SymbolBinding::Weak;
    if (symbol.undefined() && is_dynamic_shared(symbol))
      entity.dynamic_align = std::max(entity.dynamic_align, symbol.binding() == SymbolBinding::Weak
                                                                ? align_of_instance(object, symbol)
                                                                : symbol.value);
    if (symbol.common())
      meet_common(entity, object, index);
    else if (symbol.in_section() && !is_dynamic_shared(symbol))
      define(entity, object, index);
  }

  void define(Entity &entity, u32 object, u32 index) {
    const elf::Symbol &symbol = program_.objects[object].symbols[index];
    const bool strong = symbol.binding() != SymbolBinding::Weak;
    Outcome &outcome = program_.outcome[object][index];
    outcome = Outcome::Discarded;
    if (!entity.function() && entity.common_align != 0 && !prevails_over_common(object, index))
      return; // treated as another common symbol
    if (entity.defined()) {
      if (!entity.function() && entity.size != symbol.size)
        report_.add(FindingKind::Symbol, entity.name, "", 0,
                    hex(entity.size) + " bytes, as in " + program_.objects[entity.object].name,
                    hex(symbol.size) + " in " + program_.objects[object].name);
      if (strong && !entity.weak()) {
        report_.add(FindingKind::Symbol, entity.name, "", 0, "one strong definition",
                    "two, in " + program_.objects[entity.object].name + " and " +
                        program_.objects[object].name);
        return;
      }
      if (!entity.weak() || (!strong && !wins(entity, object, index)))
        return;
      program_.outcome[entity.object][entity.symbol] = Outcome::Overridden;
    } else {
      entity.first_definition = object;
    }
    outcome = Outcome::Prevails;
    entity.object = object;
    entity.symbol = index;
    entity.info = symbol.info;
    entity.other = symbol.other;
    entity.size = symbol.size;
    entity.common_align = 0;
  }

  // Data with initial values prevails over common symbols, since 13.3 all data. Of several common
  // symbols the largest prevails.
  void meet_common(Entity &entity, u32 object, u32 index) {
    const elf::Symbol &symbol = program_.objects[object].symbols[index];
    if (entity.defined() && prevails_over_common(entity.object, entity.symbol))
      return;
    if (entity.defined())
      program_.outcome[entity.object][entity.symbol] = Outcome::Discarded;
    entity.object = kNone;
    if (entity.common_align == 0)
      entity.common_align = std::max<u64>(symbol.value, 1);
    entity.size = std::max(entity.size, symbol.size);
  }

  // True if a weak definition prevails over the previous weak one. Newer PTX must be newer than the
  // PTX of the very first definition (Q055).
  [[nodiscard]] bool wins(const Entity &entity, u32 object, u32 symbol) const {
    if (!entity.function())
      return false;
    const u32 now = registers(entity.object, entity.symbol), next = registers(object, symbol);
    if (now != next)
      return next < now;
    return program_.objects[object].virtual_sm >
           program_.objects[entity.first_definition].virtual_sm;
  }

  // Up to sm_89 the header of the code also has the register count, which has priority (Q029).
  [[nodiscard]] u32 registers(u32 object, u32 symbol) const {
    const Object &file = program_.objects[object];
    const u32 in_header = file.section(file.symbols[symbol].section).info >> 24;
    return in_header != 0 ? in_header : file.registers[symbol];
  }

  // nvlink -r replaces dynamic memory by a symbol whose value is the offset of the memory. The
  // offset is a multiple of the alignment, which is at most the largest of other symbols for such
  // memory.
  [[nodiscard]] u64 align_of_instance(u32 object, const elf::Symbol &instance) const {
    const Object &file = program_.objects[object];
    u64 largest = 1;
    for (const elf::Symbol &symbol : file.symbols)
      if (is_dynamic_shared(symbol) && symbol.binding() != SymbolBinding::Weak)
        largest = std::max(largest, symbol.value);
    while (instance.value % largest != 0)
      largest /= 2;
    return largest;
  }

  [[nodiscard]] bool prevails_over_common(u32 object, u32 symbol) const {
    const Object &file = program_.objects[object];
    const elf::SectionRole role = file.kinds[file.symbols[symbol].section].role;
    return role != elf::SectionRole::Udt &&
           (zeroed_data_prevails_ || role != elf::SectionRole::Global);
  }

  const bool zeroed_data_prevails_;
  Report &report_;
  Program program_;
  StringIndex names_;
  std::vector<u32> entity_of_name_;
};

} // namespace

Program resolve(std::vector<Object> objects, u32 toolkit, Report &report) {
  return NameTable(std::move(objects), toolkit, report).run();
}

} // namespace culink::check
