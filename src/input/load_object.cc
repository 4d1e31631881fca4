// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads one object. First checks that the file is an object, then that it fits the target, and only
// then its contents, so that the first message about a file is the helpful one.
//
// Objects may be of releases that are newer than this linker. Unknown contents are kept unchanged,
// with one warning for each kind, because each function of such an object may have them. That is
// safe as far as the linker can know: an unknown record that names a symbol by number would name
// another symbol afterwards, so the warning says so. Contents that cannot be kept without being
// understood are refused elsewhere: relocations, ABI versions, targets, variables in sections of
// unknown types.
#include "input/load_object.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "elf/names.h"
#include "elf/records/nv_compat.h"
#include "elf/records/nv_info.h"
#include "elf/records/nv_notes.h"
#include "elf/text_info.h"
#include "support/bytes.h"

namespace culink {

// From ElfView to InputObject. The view has checked the ELF tables; here the records inside
// NVIDIA's sections are decoded, and every symbol number, section number and string offset in them
// is checked, so that passes can rely on them.

using elf::SectionRole;

namespace {

// The facts that a record gives about its symbols, by its attribute.
constexpr u8 kTellsRegisters = 1, kTellsFrame = 2, kTellsStack = 4, kOfFunction = 8, kOfBank = 16;
constexpr u8 kNumbers = kTellsRegisters | kTellsFrame | kTellsStack;
constexpr std::array<u8, 256> kUses = [] {
  using A = elf::InfoAttribute;
  std::array<u8, 256> out{};
  out[static_cast<u8>(A::Regcount)] = kOfFunction | kTellsRegisters;
  out[static_cast<u8>(A::FrameSize)] = kOfFunction | kTellsFrame;
  out[static_cast<u8>(A::MinStackSize)] = kOfFunction | kTellsStack;
  out[static_cast<u8>(A::MaxStackSize)] = kOfFunction;
  out[static_cast<u8>(A::Externs)] = kOfFunction;
  out[static_cast<u8>(A::ParamCbank)] = kOfBank;
  return out;
}();

class ObjectParser {
public:
  ObjectParser(std::string name, elf::ElfView view, std::vector<elf::Symbol> symbols)
      : object_{.name = std::move(name), .view = std::move(view), .symbols = std::move(symbols)} {}

  [[nodiscard]] Result<InputObject> run();

private:
  void prefer_register_counts_of_code(std::span<const u32> functions);
  void note_aliases(std::span<const u32> functions);
  [[nodiscard]] std::optional<Error> classify_sections();
  [[nodiscard]] bool note_section(const elf::Section &section, const elf::SectionKind &kind);
  [[nodiscard]] bool find_owner(const elf::Section &section, const elf::SectionKind &kind);
  void correct_types();
  [[nodiscard]] std::optional<Error> read_section(const elf::Section &section);
  [[nodiscard]] std::optional<Error> read_info(const elf::Section &section);
  [[nodiscard]] std::optional<Error> check_records(const elf::Section &section, u32 text);
  void note_attribute(elf::InfoAttribute attribute);
  [[nodiscard]] bool is_repeated(elf::InfoAttribute attribute, u32 symbol);
  [[nodiscard]] std::optional<Error> read_call_graph(const elf::Section &section);
  [[nodiscard]] std::optional<Error> read_prototypes(const elf::Section &section);
  [[nodiscard]] const char *find_fault(elf::InfoAttribute attribute, u32 symbol, u32 text) const;

  [[nodiscard]] bool has_string(u32 offset) const { return offset < strings_end_; }

  InputObject object_;
  u32 section_count_ = 0, symbol_count_ = 0;
  u64 strings_end_ = 0;           // end of the terminated strings in object_.strings
  std::array<bool, 256> noted_{}; // by attribute: note_attribute was called with it
  std::vector<u8> told_; // by symbol: the numbers that records of the module have given so far
};

Error broken(const elf::Section &section, std::string field, std::string message) {
  return {elf::describe_section(section), std::move(field), std::move(message)};
}

Error broken(const elf::Section &section, const elf::Violation &violation) {
  return broken(section, fmt::format("record at {:#x}", violation.offset), violation.message);
}

// ptxas stores section numbers directly, even those from 0xff00 on, which are reserved and belong
// into .symtab_shndx. Code and sections are never absolute or common.
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

std::vector<elf::Symbol> read_symbols(const elf::ElfView &view) {
  const u32 sections = static_cast<u32>(view.sections().size());
  std::vector<elf::Symbol> symbols = view.symbols().all();
  if (sections > elf::kSectionLoReserve)
    for (elf::Symbol &symbol : symbols)
      symbol = with_large_index(symbol, sections);
  return symbols;
}

Result<InputObject> ObjectParser::run() {
  symbol_count_ = static_cast<u32>(object_.symbols.size());
  object_.registers.resize(symbol_count_, InputObject::kNoRegisters);
  if (std::optional<Error> error = classify_sections())
    return std::move(*error);
  const Result<std::vector<u32>> functions = check_object(object_);
  if (!functions)
    return functions.error();
  object_.infos.reserve(static_cast<size_t>(
      std::ranges::count(object_.kinds, SectionRole::Info, &elf::SectionKind::role)));
  told_.resize(symbol_count_);
  for (const elf::Section &section : object_.view.sections())
    if (std::optional<Error> error = read_section(section))
      return std::move(*error);
  prefer_register_counts_of_code(*functions);
  note_aliases(*functions);
  return std::move(object_);
}

// Memory sections may have the types of executables. Replaces these by the types of objects, which
// later passes expect.
void ObjectParser::correct_types() {
  std::vector<elf::Section> sections(object_.view.sections().begin(),
                                     object_.view.sections().end());
  for (elf::Section &section : sections)
    section.type = elf::type_in_objects(object_.kinds[section.index], section.type);
  object_.view = object_.view.with_sections(std::move(sections));
}

std::optional<Error> ObjectParser::classify_sections() {
  object_.kinds = elf::classify_sections(object_.view.sections());
  section_count_ = static_cast<u32>(object_.kinds.size());
  object_.owners.resize(section_count_);
  bool has_other_types = false; // some memory section has a type of executables
  for (const elf::Section &section : object_.view.sections()) {
    const elf::SectionKind &kind = object_.kinds[section.index];
    has_other_types |= elf::type_in_objects(kind, section.type) != section.type;
    if (!note_section(section, kind))
      return broken(section, "sh_info", fmt::format("section {} is not code", section.info));
  }
  if (has_other_types)
    correct_types();
  strings_end_ = terminated_strings(object_.strings).size();
  return std::nullopt;
}

// Records facts that save later steps a search among all sections. Returns false if a required
// owner is missing.
bool ObjectParser::note_section(const elf::Section &section, const elf::SectionKind &kind) {
  switch (kind.role) {
  case SectionRole::Info:
  case SectionRole::Constant:
  case SectionRole::ConstantNamed:
  case SectionRole::Local:
  case SectionRole::Shared:
    return find_owner(section, kind);
  case SectionRole::Text:
  case SectionRole::UftRel:
    object_.has_barrier_flags |= elf::text_barriers(section.flags) != 0;
    break;
  case SectionRole::Compat:
    object_.compats.push_back(section.index);
    break;
  case SectionRole::NoteTkinfo:
    object_.tool_notes.push_back(section.index);
    break;
  case SectionRole::UftEntry:
  case SectionRole::UdtEntry:
    object_.has_unified = true;
    break;
  case SectionRole::SymbolTable:
    if (section.type == elf::SectionType::Symtab)
      object_.strings = object_.section(section.link).data;
    break;
  default:
    break;
  }
  return true;
}

// Finds the code that a section belongs to. Returns false if its owner is not code.
bool ObjectParser::find_owner(const elf::Section &section, const elf::SectionKind &kind) {
  if (kind.mercury || (section.info == 0 && (section.flags & elf::kFlagInfoLink) == 0))
    return true;
  if (section.info >= section_count_ || !object_.kinds[section.info].is_code())
    return false;
  object_.owners[section.index] = section.info;
  return true;
}

// Up to sm_89, the top byte of a code section's sh_info also holds the register count, which takes
// precedence in nvlink (Q029).
void ObjectParser::prefer_register_counts_of_code(std::span<const u32> functions) {
  for (const u32 i : functions) {
    const elf::Symbol &symbol = object_.symbols[i];
    if (!symbol.in_section())
      continue;
    if (const u32 count = object_.section(symbol.section).info >> 24; count != 0)
      object_.registers[i] = count;
  }
}

// Records facts that save later passes a search.
void ObjectParser::note_aliases(std::span<const u32> functions) {
  for (const u32 i : functions) {
    const elf::Symbol &symbol = object_.symbols[i];
    object_.has_aliases |= symbol.in_section() && object_.owner_of_code(symbol.section) != i;
  }
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
  const u32 text = object_.owner_of(section.index);
  object_.infos.push_back({section.index, text, elf::InfoRecords(section.data)});
  return check_records(section, text);
}

std::optional<Error> ObjectParser::check_records(const elf::Section &section, u32 text) {
  elf::RecordReader<elf::InfoAttribute> reader(section.data);
  while (reader.next()) {
    const elf::InfoRecord &record = reader.record();
    if (const std::optional<elf::Violation> violation = elf::check_record(record))
      return broken(section, *violation);
    note_attribute(record.attribute);
    const u32 symbol_words = elf::symbol_word_count(record);
    for (u32 i = 0; i < symbol_words; ++i) {
      const u32 symbol = load_le<u32>(record.payload.data() + u64{i} * 4);
      if (symbol >= symbol_count_)
        return broken(section, fmt::format("record at {:#x}", record.offset),
                      fmt::format("{} is not a symbol (there are {})", symbol, symbol_count_));
      if (symbol == 0)
        continue;
      if (const char *fault = find_fault(record.attribute, symbol, text))
        return broken(section, fmt::format("record at {:#x}", record.offset),
                      fmt::format("symbol {} is {}", symbol, fault));
    }
    if (text != 0 || symbol_words != 1)
      continue;
    const u32 function = load_le<u32>(record.payload.data());
    if (is_repeated(record.attribute, function))
      return broken(section, fmt::format("record at {:#x}", record.offset),
                    "says again what an earlier record says of the same function");
    if (record.attribute == elf::InfoAttribute::Regcount)
      object_.registers[function] = load_le<u32>(record.payload.data() + 4);
  }
  if (!reader.rest().empty())
    return broken(section, reader.problem());
  return std::nullopt;
}

// True if an earlier record of the module gave the same kind of number for this symbol. It is not
// known which of the two would be valid.
bool ObjectParser::is_repeated(elf::InfoAttribute attribute, u32 symbol) {
  const u8 bit = kUses[static_cast<u8>(attribute)] & kNumbers;
  const bool repeated = (told_[symbol] & bit) != 0;
  told_[symbol] |= bit;
  return repeated;
}

// Records unknown attributes, each once.
void ObjectParser::note_attribute(elf::InfoAttribute attribute) {
  const u8 code = static_cast<u8>(attribute);
  if (!std::exchange(noted_[code], true) && !elf::kInfoAttributeNames.name_of(code))
    object_.unfamiliar.attributes.push_back(code);
}

// Returns the error of the symbol that a record refers to, or null. The symbol may only be of a few
// kinds. `text` is the code section of the records, or 0 for the module.
const char *ObjectParser::find_fault(elf::InfoAttribute attribute, u32 index, u32 text) const {
  const elf::Symbol &symbol = object_.symbols[index];
  const u8 uses = kUses[static_cast<u8>(attribute)];
  if ((uses & kOfBank) != 0) {
    if (!symbol.in_section() || !object_.kinds[symbol.section].is_constant())
      return "in no constant bank";
    const elf::SectionKind &bank = object_.kinds[symbol.section];
    const bool own = text == 0 || bank.owner == object_.kinds[text].owner;
    return bank.bank == 0 && own ? nullptr : "not in the bank of this function's parameters";
  }
  if ((uses & kOfFunction) != 0 && symbol.type() != elf::SymbolType::Function)
    return "not a function";
  if (symbol.type() == elf::SymbolType::Section ? !symbol.in_section() : symbol.name.empty())
    return "nothing that has a name";
  return nullptr;
}

std::optional<Error> ObjectParser::read_call_graph(const elf::Section &section) {
  object_.calls = elf::decode_call_graph(section.data);
  if (!object_.calls.violations.empty())
    return broken(section, object_.calls.violations.front());
  if (object_.calls.lacks_targets() && !object_.view.header().is_before_toolkit_12())
    return broken(section, "", "the graph ends without marker -4");
  const auto is_function = [this](u32 symbol) {
    return symbol < symbol_count_ && object_.symbols[symbol].type() == elf::SymbolType::Function;
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
    if (record.symbol >= symbol_count_ ||
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
  std::vector<elf::Symbol> symbols = read_symbols(view);
  return parse_object(std::move(name), std::move(view), std::move(symbols));
}

Result<InputObject> parse_object(std::string name, elf::ElfView view,
                                 std::vector<elf::Symbol> symbols) {
  return ObjectParser(std::move(name), std::move(view), std::move(symbols)).run();
}

using elf::SectionRole;

namespace {

// True for records of whole modules that no known object has: a link neither understands nor copies
// them.
bool is_left_out(const elf::Section &section, const elf::SectionKind &kind) {
  return !kind.mercury && section.size != 0 && kind.role == SectionRole::Metadata;
}

std::string type_text(elf::SectionType type) {
  if (const std::optional<std::string_view> name = elf::kSectionTypeNames.name_of(type))
    return std::string(*name);
  return fmt::format("{:#x}", static_cast<u32>(type));
}

void report_left_out(const InputObject &object, Diagnostics &diag) {
  for (const elf::Section &section : object.view.sections())
    if (is_left_out(section, object.kinds[section.index]))
      diag.report(DiagId::SectionLeftOut,
                  {object.name, std::string(section.name), type_text(section.type)});
}

// True if .nv.compat lacks the attribute that every compiler writes.
bool lacks_isa_class(const InputObject &object) {
  for (const elf::Section &section : object.view.sections()) {
    const elf::SectionKind &kind = object.kinds[section.index];
    if (kind.role != SectionRole::Compat || kind.mercury)
      continue;
    const elf::CompatSection compat = elf::decode_compat(section.data);
    return std::none_of(compat.records.begin(), compat.records.end(), [](const auto &record) {
      return record.attribute == elf::CompatAttribute::IsaClass;
    });
  }
  return false;
}

template <typename T> void add_once(std::vector<T> &list, T item) {
  if (std::find(list.begin(), list.end(), item) == list.end())
    list.push_back(std::move(item));
}

bool is_known(elf::CompatAttribute attribute) {
  return attribute == elf::CompatAttribute::Unnamed13 ||
         elf::kCompatAttributeNames.name_of(static_cast<u32>(attribute)).has_value();
}

// Returns the newest unknown version in a section of notes, or 0.
template <typename Version> u32 later_version(const elf::Section &section, u32 type) {
  u32 newest = 0;
  for (const elf::Note &note : elf::decode_notes(section.data).notes)
    if (note.type == type && elf::is_later_note(note))
      newest = std::max<u32>(newest, load_le<Version>(note.desc.data()));
  return newest;
}

// Collects objects with unknown contents: the first object, the contents, and the number of further
// objects.
class Finding {
public:
  template <typename Items> void add(const InputObject &object, const Items &items) {
    if (items.empty())
      return;
    if (first_)
      ++more_;
    else
      first_ = &object;
    for (const auto &item : items)
      add_once(items_, fmt::format("{}", item));
  }

  void report(DiagId id, std::string hint, Diagnostics &diag) const {
    if (!first_)
      return;
    constexpr size_t kMost = 8;
    std::string list;
    for (size_t i = 0; i < std::min(items_.size(), kMost); ++i)
      list += fmt::format("{}{}", i == 0 ? "" : ", ", items_[i]);
    if (items_.size() > kMost)
      list += fmt::format(" and {} more", items_.size() - kMost);
    std::vector<std::string> notes;
    if (more_ != 0)
      notes.push_back(fmt::format("and {} more files", more_));
    diag.report(id, {first_->name, std::move(list)}, std::move(notes), std::move(hint));
  }

private:
  const InputObject *first_ = nullptr;
  std::vector<std::string> items_; // in order of reading
  u32 more_ = 0;
};

std::vector<std::string> in_hexadecimal(const std::vector<u8> &codes) {
  std::vector<std::string> out;
  for (const u8 code : codes)
    out.push_back(fmt::format("{:#x}", code));
  return out;
}

// Returns a driver function that replaces Mercury instructions but is not known for the target;
// else "". The Mercury plane has no symbol for it; the only other symbols without one belong to
// bank 0.
std::string_view callee_of_sass(const InputObject &object, const elf::Section &mercury_symtab) {
  for (u32 i = object.view.symbols(mercury_symtab).size(); i < object.symbols.size(); ++i)
    if (const elf::Symbol &symbol = object.symbols[i]; symbol.type() == elf::SymbolType::Function &&
                                                       symbol.undefined() &&
                                                       !is_image_function(object, symbol))
      return symbol.name;
  return {};
}

// Finds the contents that this linker does not know, except attributes of .nv.info, which the
// parser records.
Unfamiliar find_unfamiliar(const InputObject &object) {
  Unfamiliar out;
  for (const elf::Section &section : object.view.sections()) {
    const elf::SectionKind &kind = object.kinds[section.index];
    const std::string_view name = section.name;
    if (kind.mercury) {
      if (section.size != 0 && !elf::kSectionTypeNames.name_of(section.type))
        add_once(out.mercury,
                 fmt::format("'{}' ({:#x}), a section of a type that this linker does not know",
                             name, static_cast<u32>(section.type)));
      if (section.type == elf::SectionType::MercurySymtab)
        if (const std::string_view callee = callee_of_sass(object, section); !callee.empty())
          add_once(out.mercury,
                   fmt::format("no call of '{}', which the machine code calls", callee));
      continue;
    }
    switch (kind.role) {
    case SectionRole::Unknown:
      if (section.type != elf::SectionType::Progbits && section.size != 0)
        add_once(out.sections, fmt::format("'{}' ({:#x})", name, static_cast<u32>(section.type)));
      break;
    case SectionRole::Compat:
      for (const elf::CompatRecord &record : elf::decode_compat(section.data).records)
        if (!is_known(record.attribute))
          add_once(out.compat, static_cast<u8>(record.attribute));
      break;
    case SectionRole::NoteCuinfo:
      out.cuda_note = std::max(out.cuda_note, later_version<u16>(section, elf::kNoteCudaInfo));
      break;
    case SectionRole::NoteTkinfo:
      // Toolkits 12.8 and 12.9 have a version number of their own there.
      if (const u32 version = later_version<u32>(section, elf::kNoteToolkitInfo);
          version != 128 && version != 129)
        out.tool_note = std::max(out.tool_note, version);
      break;
    default:
      break;
    }
  }
  return out;
}

} // namespace

std::optional<InputObject> load_object(const std::string &name, ByteSpan bytes,
                                       const arch::ArchInfo &target, const Dialect &dialect,
                                       Diagnostics &diag) {
  Result<elf::ElfView> view = elf::ElfView::open(bytes);
  if (!view) {
    diag.report(DiagId::BadInput, {name, view.error().text()});
    return std::nullopt;
  }
  if (!accept_object(name, *view, target, dialect, diag))
    return std::nullopt;
  const ObjectIdentity identity = identify_object(*view);
  Result<InputObject> object = parse_object(name, std::move(*view));
  if (!object) {
    diag.report(DiagId::BadInput, {name, object.error().text()});
    return std::nullopt;
  }
  object->sm = identity.sm;
  object->virtual_sm = identity.virtual_sm;
  object->toolkit = identity.toolkit;
  if (lacks_isa_class(*object))
    diag.report(DiagId::MissingIsaClass, {std::to_string(target.number), name});
  if (!dialect.defects.drops_unknown_sections) {
    report_left_out(*object, diag);
    std::vector<u8> attributes = std::move(object->unfamiliar.attributes);
    object->unfamiliar = find_unfamiliar(*object);
    object->unfamiliar.attributes = std::move(attributes);
  } else {
    object->unfamiliar = {};
  }
  object->capsule = identity.capsule;
  return std::move(*object);
}

void report_unfamiliar(const std::vector<InputObject> &objects, Diagnostics &diag) {
  Finding attributes, compat, notes, sections;
  for (const InputObject &object : objects) {
    const Unfamiliar &has = object.unfamiliar;
    attributes.add(object, in_hexadecimal(has.attributes));
    compat.add(object, in_hexadecimal(has.compat));
    sections.add(object, has.sections);
    std::vector<std::string> versions;
    if (has.cuda_note != 0)
      versions.push_back(fmt::format(".note.nv.cuinfo has version {}", has.cuda_note));
    if (has.tool_note != 0)
      versions.push_back(fmt::format(".note.nv.tkinfo has version {}", has.tool_note));
    notes.add(object, versions);
  }
  const std::string kept = "kept as they are; a newer culink may know more about them";
  attributes.report(DiagId::UnknownAttribute, kept, diag);
  compat.report(DiagId::UnknownCompat, kept, diag);
  notes.report(DiagId::NewerNote, "version 2 is known of either note", diag);
  sections.report(DiagId::UnknownSection, kept, diag);
}

} // namespace culink
