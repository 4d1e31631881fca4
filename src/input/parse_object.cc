// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From ElfView to InputObject. The view has checked the ELF tables; here the records inside
// NVIDIA's sections are decoded, and every symbol number, section number and string offset in them
// is checked, so that passes can rely on them.
#include "input/parse_object.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/bytes.h"
#include "elf/names.h"
#include "elf/text_info.h"
#include "input/check_object.h"

namespace culink {

using elf::SectionRole;

namespace {

class ObjectParser {
public:
  ObjectParser(std::string name, elf::ElfView view)
      : object_{.name = std::move(name), .view = std::move(view)} {}

  void read_symbols();
  void take_symbols(std::vector<elf::Symbol> symbols) { object_.symbols = std::move(symbols); }
  [[nodiscard]] Result<InputObject> run();

private:
  void prefer_register_counts_of_code();
  [[nodiscard]] std::optional<Error> find_owner(const elf::Section &section);
  [[nodiscard]] std::optional<Error> read_section(const elf::Section &section);
  [[nodiscard]] std::optional<Error> read_info(const elf::Section &section);
  void note_unfamiliar(elf::InfoAttribute attribute);
  [[nodiscard]] bool is_repeated(const elf::InfoRecord &record);
  [[nodiscard]] std::optional<Error> read_call_graph(const elf::Section &section);
  [[nodiscard]] std::optional<Error> read_prototypes(const elf::Section &section);
  [[nodiscard]] std::optional<Error> check_info_symbol(const elf::InfoRecord &record, u32 symbol,
                                                       const InputObject::Info &info) const;

  [[nodiscard]] u32 symbol_count() const { return static_cast<u32>(object_.symbols.size()); }
  [[nodiscard]] bool has_string(u32 offset) const {
    return c_string_at(object_.strings, offset).has_value();
  }

  InputObject object_;
  elf::RecordMemory right_records_;
  std::vector<u8> told_; // by symbol: the numbers that records of the module have given so far
  ByteSpan right_info_;  // of a function: valid records without symbols
};

Error broken(const elf::Section &section, std::string field, std::string message) {
  return {elf::describe_section(section), std::move(field), std::move(message)};
}

Error broken(const elf::Section &section, const elf::Violation &violation) {
  return broken(section, fmt::format("record at {:#x}", violation.offset), violation.message);
}

// ptxas stores numbers of sections as they are, also those from 0xff00 on, which have other
// meanings and belong into .symtab_shndx. Code and sections are never absolute or common.
elf::Symbol with_large_index(elf::Symbol symbol, u32 section_count) {
  const u32 stored = symbol.raw_section;
  const bool code =
      symbol.type() == elf::SymbolType::Function || symbol.type() == elf::SymbolType::Section;
  if (stored < elf::kSectionLoReserve || stored == elf::kSectionXindex || stored >= section_count ||
      (stored >= elf::kSectionAbsolute && !code))
    return symbol;
  symbol.section = stored;
  symbol.raw_section = elf::kSectionXindex;
  return symbol;
}

void ObjectParser::read_symbols() {
  const elf::SymbolTable symbols = object_.view.symbols();
  const u32 sections = static_cast<u32>(object_.view.sections().size());
  object_.symbols.reserve(symbols.size());
  for (u32 i = 0; i < symbols.size(); ++i)
    object_.symbols.push_back(symbols[i]);
  if (sections > elf::kSectionLoReserve)
    for (elf::Symbol &symbol : object_.symbols)
      symbol = with_large_index(symbol, sections);
}

Result<InputObject> ObjectParser::run() {
  object_.registers.assign(object_.symbols.size(), InputObject::kNoRegisters);
  for (const elf::Section &section : object_.view.sections())
    if (section.type == elf::SectionType::Symtab)
      object_.strings = object_.section(section.link).data;

  object_.kinds.reserve(object_.view.sections().size());
  for (const elf::Section &section : object_.view.sections()) {
    object_.kinds.push_back(elf::classify_section(section.name, section.type, section.flags));
    const SectionRole role = object_.kinds.back().role;
    object_.has_unified |= role == SectionRole::UftEntry || role == SectionRole::UdtEntry;
    object_.has_barrier_flags |=
        object_.kinds.back().is_code() && elf::text_barriers(section.flags) != 0;
  }
  object_.owners.assign(object_.view.sections().size(), 0);
  for (const elf::Section &section : object_.view.sections())
    if (std::optional<Error> error = find_owner(section))
      return std::move(*error);
  if (std::optional<Error> error = check_object(object_))
    return std::move(*error);
  for (const elf::Section &section : object_.view.sections())
    if (std::optional<Error> error = read_section(section))
      return std::move(*error);
  prefer_register_counts_of_code();
  return std::move(object_);
}

// Up to sm_89 the top byte of a code section's sh_info counts registers, too, and takes precedence
// in nvlink (Q029).
void ObjectParser::prefer_register_counts_of_code() {
  for (u32 i = 0; i < object_.symbols.size(); ++i) {
    const elf::Symbol &symbol = object_.symbols[i];
    if (symbol.type() != elf::SymbolType::Function || !symbol.in_section())
      continue;
    if (const u32 count = object_.section(symbol.section).info >> 24; count != 0)
      object_.registers[i] = count;
  }
}

std::optional<Error> ObjectParser::find_owner(const elf::Section &section) {
  if (object_.kinds[section.index].mercury)
    return std::nullopt;
  switch (object_.kinds[section.index].role) {
  case SectionRole::Info:
  case SectionRole::Constant:
  case SectionRole::ConstantNamed:
  case SectionRole::Shared:
  case SectionRole::Local:
    break;
  default:
    return std::nullopt;
  }
  if (section.info == 0 && (section.flags & elf::kFlagInfoLink) == 0)
    return std::nullopt;
  if (section.info >= object_.kinds.size() || !object_.kinds[section.info].is_code())
    return broken(section, "sh_info", fmt::format("section {} is not code", section.info));
  object_.owners[section.index] = section.info;
  return std::nullopt;
}

std::optional<Error> ObjectParser::read_section(const elf::Section &section) {
  const elf::SectionKind &kind = object_.kinds[section.index];
  if (kind.mercury)
    return std::nullopt;
  switch (kind.role) {
  case SectionRole::Info:
    return read_info(section);
  case SectionRole::Callgraph:
    return read_call_graph(section);
  case SectionRole::Prototype:
    return read_prototypes(section);
  default:
    return std::nullopt;
  }
}

std::optional<Error> ObjectParser::read_info(const elf::Section &section) {
  const InputObject::Info info{section.index, object_.owner_of(section.index),
                               elf::InfoRecords(section.data)};
  if (info.text != 0 && !section.data.empty() &&
      as_text(section.data) == as_text(right_info_)) { // functions of one kind have equal records
    object_.infos.push_back(info);
    return std::nullopt;
  }
  bool names_symbols = false;
  elf::RecordReader<elf::InfoAttribute> reader(section.data);
  while (reader.next()) {
    const elf::InfoRecord &record = reader.record();
    if (!right_records_.knows(record)) {
      if (std::optional<elf::Violation> violation = elf::check_record(record))
        return broken(section, *violation);
      right_records_.learn(record);
      note_unfamiliar(record.attribute);
    }
    const u32 symbol_words = elf::symbol_word_count(record);
    for (u32 i = 0; i < symbol_words; ++i) {
      const u32 symbol = load_le<u32>(record.payload.data() + u64{i} * 4);
      if (symbol >= symbol_count())
        return broken(section, fmt::format("record at {:#x}", record.offset),
                      fmt::format("{} is not a symbol (there are {})", symbol, symbol_count()));
      if (symbol == 0) // no symbol
        continue;
      names_symbols = true;
      if (std::optional<Error> error = check_info_symbol(record, symbol, info))
        return error;
    }
    if (info.text == 0 && symbol_words == 1 && is_repeated(record))
      return broken(section, fmt::format("record at {:#x}", record.offset),
                    "says again what an earlier record says of the same function");
    if (info.text == 0 && record.attribute == elf::InfoAttribute::Regcount && symbol_words == 1)
      object_.registers[load_le<u32>(record.payload.data())] =
          load_le<u32>(record.payload.data() + 4);
  }
  if (!reader.rest().empty())
    return broken(section, reader.problem());
  if (info.text != 0 && !names_symbols)
    right_info_ = section.data;
  object_.infos.push_back(info);
  return std::nullopt;
}

// Whether there was another record of the module with this number of a function. Which one counts
// would be anybody's guess.
bool ObjectParser::is_repeated(const elf::InfoRecord &record) {
  using elf::InfoAttribute;
  const u8 bit = record.attribute == InfoAttribute::Regcount       ? 1
                 : record.attribute == InfoAttribute::FrameSize    ? 2
                 : record.attribute == InfoAttribute::MinStackSize ? 4
                                                                   : 0;
  if (bit == 0)
    return false;
  told_.resize(object_.symbols.size());
  u8 &told = told_[load_le<u32>(record.payload.data())];
  const bool repeated = (told & bit) != 0;
  told |= bit;
  return repeated;
}

void ObjectParser::note_unfamiliar(elf::InfoAttribute attribute) {
  const u8 code = static_cast<u8>(attribute);
  std::vector<u8> &found = object_.unfamiliar.attributes;
  if (!elf::name_of_info_attribute(code) &&
      std::find(found.begin(), found.end(), code) == found.end())
    found.push_back(code);
}

// Checks the symbol of a record, which may be of few kinds only.
std::optional<Error> ObjectParser::check_info_symbol(const elf::InfoRecord &record, u32 index,
                                                     const InputObject::Info &info) const {
  using elf::InfoAttribute;
  const elf::Symbol &symbol = object_.symbols[index];
  const auto refuse = [&](const char *message) {
    return broken(object_.section(info.section), fmt::format("record at {:#x}", record.offset),
                  fmt::format("symbol {} is {}", index, message));
  };
  switch (record.attribute) {
  case InfoAttribute::ParamCbank: {
    if (!symbol.in_section() || !object_.kinds[symbol.section].is_constant())
      return refuse("in no constant bank");
    const elf::SectionKind &bank = object_.kinds[symbol.section];
    if (bank.bank != 0 || (info.text != 0 && bank.owner != object_.kinds[info.text].owner))
      return refuse("not in the bank of this function's parameters");
    return std::nullopt;
  }
  case InfoAttribute::Regcount:
  case InfoAttribute::FrameSize:
  case InfoAttribute::MinStackSize:
  case InfoAttribute::MaxStackSize:
  case InfoAttribute::Externs:
    if (symbol.type() != elf::SymbolType::Function)
      return refuse("not a function");
    [[fallthrough]];
  default:
    if (symbol.type() == elf::SymbolType::Section ? !symbol.in_section() : symbol.name.empty())
      return refuse("nothing that has a name");
    return std::nullopt;
  }
}

std::optional<Error> ObjectParser::read_call_graph(const elf::Section &section) {
  object_.calls = elf::decode_call_graph(section.data);
  if (!object_.calls.violations.empty())
    return broken(section, object_.calls.violations.front());
  if (object_.calls.lacks_targets() && !object_.view.header().is_before_toolkit_12())
    return broken(section, "", "the graph ends without marker -4");
  const auto is_function = [this](u32 symbol) {
    return symbol < symbol_count() && object_.symbols[symbol].type() == elf::SymbolType::Function;
  };
  for (const elf::CallGroup &group : object_.calls.groups)
    for (const elf::CallPair &pair : group.pairs) {
      if (!is_function(pair.first))
        return broken(section, "caller", fmt::format("symbol {} is not a function", pair.first));
      const bool prototype = elf::second_is_prototype(group.part);
      if (prototype && !has_string(pair.second))
        return broken(section, "prototype", fmt::format("no string at {:#x}", pair.second));
      if (!prototype && !is_function(pair.second))
        return broken(section, "callee", fmt::format("symbol {} is not a function", pair.second));
    }
  return std::nullopt;
}

std::optional<Error> ObjectParser::read_prototypes(const elf::Section &section) {
  object_.prototypes = elf::decode_prototypes(section.data);
  if (!object_.prototypes.violations.empty())
    return broken(section, object_.prototypes.violations.front());
  for (const elf::Prototype &record : object_.prototypes.records) {
    if (record.symbol >= symbol_count() ||
        object_.symbols[record.symbol].type() != elf::SymbolType::Function)
      return broken(section, "function", fmt::format("symbol {} is not a function", record.symbol));
    if (!has_string(record.string))
      return broken(section, "prototype", fmt::format("no string at {:#x}", record.string));
  }
  return std::nullopt;
}

} // namespace

Result<InputObject> parse_object(std::string name, elf::ElfView view) {
  if (!view.header().is_cuda())
    return Error{
        "ELF header", "e_machine",
        fmt::format("{} is not a CUDA device file ({})", view.header().machine, elf::kMachineCuda)};
  if (view.header().elf_class() != elf::ElfClass::Elf64)
    return Error{"ELF header", "EI_CLASS", "32-bit device code cannot be linked"};
  ObjectParser parser(std::move(name), std::move(view));
  parser.read_symbols();
  return parser.run();
}

Result<InputObject> parse_object(std::string name, elf::ElfView view,
                                 std::vector<elf::Symbol> symbols) {
  ObjectParser parser(std::move(name), std::move(view));
  parser.take_symbols(std::move(symbols));
  return parser.run();
}

} // namespace culink
