// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tables of a device file, by section and by symbol. Everything here is a plain transcript of the
// file. Records and tables that make no sense are left out: what they should have said is then
// missing, which the parts that ask for it report.
#include "verify/program/object.h"

#include "elf/names.h"
#include "elf/records/nv_info.h"
#include "elf/records/nv_notes.h"
#include "elf/target/arch.h"
#include "elf/target/elf_flags.h"
#include "support/bytes.h"
#include "support/string_index.h"

namespace culink::check {

using elf::SectionRole;
using elf::SectionType;

namespace {

// The three numbers of a function that stand in the records of the module.
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

// Banks, records and shared memory name their code in sh_info.
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
// .nv.capmerc.text.F that of the code of F, .nv.merc.symtab that of .symtab with the same numbers.
// Each such section takes the place of its machine-code form, so that the checker looks at the
// result as at any file.
class PlaneReader {
public:
  explicit PlaneReader(const Object &file)
      : file_(file), sections_(file.view.sections().begin(), file.view.sections().end()) {}
  std::optional<Object> run();

private:
  void pair_sections();
  void read_symbols();
  void replace(const elf::Section &sass, const elf::Section &mercury);
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

// Where names repeat, the first belongs to the first.
void PlaneReader::pair_sections() {
  mercury_of_.assign(sections_.size(), 0);
  sass_of_.assign(sections_.size(), 0);
  NameMap<std::vector<u32>> by_name; // the first one last
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

void PlaneReader::read_symbols() {
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

void PlaneReader::replace(const elf::Section &sass, const elf::Section &mercury) {
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

std::optional<Object> PlaneReader::run() {
  pair_sections();
  if (symtab_ == 0)
    return std::nullopt;
  read_symbols();
  for (const elf::Section &section : file_.view.sections()) {
    const elf::SectionKind &kind = file_.kinds[section.index];
    const bool parameters =
        is_parameters(section.index) || (kind.is_relocations() && is_parameters(section.info));
    // Calls of the driver that stand for Mercury instructions.
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
  Object out =
      make_object(file_.name, file_.view.with_sections(std::move(sections_)), std::move(symbols_));
  out.virtual_sm = file_.virtual_sm;
  out.toolkit = file_.toolkit;
  return out;
}

} // namespace

Object make_object(std::string_view name, elf::ElfView view, std::vector<elf::Symbol> symbols) {
  Object object(name, std::move(view));
  const elf::FileHeader &header = object.view.header();
  // Since toolkit 13 in a note, which is read below.
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

} // namespace culink::check
