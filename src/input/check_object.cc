// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The checks that passes rely on. Everything here holds for each object that a compiler or a
// relocatable link has written, so a violation means a damaged file. nvlink has no such checks: it
// crashes, or links what is left.
#include "input/check_object.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "base/bytes.h"
#include "elf/names.h"
#include "input/check_fields.h"

namespace culink {

using elf::SectionRole;
using elf::SymbolType;

namespace {

constexpr u64 kMaxSize = u64{1} << 40; // keeps sums in range; no memory space is nearly as large
constexpr u8 kSpaceMask = elf::kOtherConstant | elf::kOtherGlobal | elf::kOtherShared;
constexpr u8 kAddressBank = 4; // of variables, for position-independent code
constexpr u64 kInstructionBytes = 16;
// Padding is written to the file. Dynamic shared memory of a relocatable link has the size of all
// static shared memory as its alignment.
constexpr u64 kMaxAlign = u64{1} << 18;
constexpr u64 kMaxGlobalAlign = u64{1} << 30; // the most that ptxas accepts
// What linkers know alone, so it is local and defined nowhere.
constexpr std::string_view kSizeOfConstants = ".nv.ptx.const0.size";

Error broken_section(const elf::Section &section, std::string field, std::string message) {
  return {elf::describe_section(section), std::move(field), std::move(message)};
}

// Sections of these kinds are merged by name, so their names must be of the kind. Those without
// bytes in the file may claim any size, and must be of one of these kinds.
struct RoleName {
  SectionRole role;
  std::string_view prefix;
};
constexpr std::array<RoleName, 9> kRoleNames = {{
    {SectionRole::Text, ".text."},
    {SectionRole::Info, ".nv.info"},
    {SectionRole::Constant, ".nv.constant"},
    {SectionRole::ConstantNamed, ".nv.constant."},
    {SectionRole::GlobalInit, ".nv.global.init"},
    {SectionRole::Global, ".nv.global"},
    {SectionRole::Shared, ".nv.shared."},
    {SectionRole::DebugShared, ".nv_debug.shared"},
    {SectionRole::Local, ".nv.local."},
}};
constexpr std::array<std::string_view, elf::kSectionRoleCount> kPrefixOfRole = [] {
  std::array<std::string_view, elf::kSectionRoleCount> prefixes;
  for (const RoleName &row : kRoleNames)
    prefixes[static_cast<u8>(row.role)] = row.prefix;
  return prefixes;
}();

// Whether a text is the number of a bank, alone or followed by a dot.
bool starts_with_bank(std::string_view text, u8 bank) {
  if (bank >= 10) {
    if (!text.starts_with(static_cast<char>('0' + bank / 10)))
      return false;
    text.remove_prefix(1);
  }
  return text.starts_with(static_cast<char>('0' + bank % 10)) &&
         (text.size() == 1 || text[1] == '.');
}

bool name_fits(const elf::Section &section, const elf::SectionKind &kind) {
  if (kind.role == SectionRole::Text && section.name.starts_with(".text.")) // as most are
    return true;
  if (kind.role == SectionRole::Info && section.name.starts_with(".nv.info"))
    return true;
  if (kind.role == SectionRole::ReservedShared)
    return section.name.starts_with(".nv.shared.reserved.") ||
           section.name.starts_with(".nv.reservedSmem");
  const std::string_view prefix = kPrefixOfRole[static_cast<u8>(kind.role)];
  if (prefix.empty())
    return !section.no_data();
  return section.name.starts_with(prefix) &&
         (kind.role != SectionRole::Constant ||
          starts_with_bank(section.name.substr(prefix.size()), kind.bank));
}

// Whether a name is that of a table of unified functions or data, or a part of one. Compilers
// declare them in every file, and the loader makes them.
bool is_table_name(std::string_view name) {
  return (name.starts_with("__UFT") || name.starts_with("__UDT")) &&
         (name.size() == 5 || name[5] == '_');
}

// Whether the name is known, as that of a section of another type.
bool has_known_name(std::string_view name, SectionRole role) {
  return name.starts_with(".rel") ||
         std::any_of(elf::section_name_rules().begin(), elf::section_name_rules().end(),
                     [name, role](const elf::SectionNameRule &rule) {
                       const bool whole = rule.match == elf::NameMatch::Exact;
                       return rule.role != role &&
                              (whole ? name == rule.name : name.starts_with(rule.name));
                     });
}

// Whether a table of relocations has the name that goes with the section it is for.
bool is_table_of(const elf::Section &table, std::string_view target) {
  const std::string_view prefix = table.type == elf::SectionType::Rela ? ".rela" : ".rel";
  return table.name.starts_with(prefix) && table.name.substr(prefix.size()) == target;
}

class ObjectChecker {
public:
  explicit ObjectChecker(const InputObject &object) : object_(object) {}

  [[nodiscard]] std::optional<Error> run();

private:
  [[nodiscard]] std::optional<Error> check_sizes() const;
  [[nodiscard]] std::optional<Error> check_section(const elf::Section &section) const;
  [[nodiscard]] std::optional<Error> check_symbol(u32 index);
  [[nodiscard]] std::optional<Error> check_image(u32 index, const elf::Symbol &symbol) const;
  [[nodiscard]] std::optional<Error> check_place(u32 index, const elf::Symbol &symbol);
  [[nodiscard]] std::optional<Error> check_function(u32 index, const elf::Symbol &symbol);
  [[nodiscard]] std::optional<Error> check_variable(u32 index, const elf::Symbol &symbol) const;
  [[nodiscard]] std::optional<Error> check_code() const;
  [[nodiscard]] std::optional<Error> check_memory_of_kernels() const;
  [[nodiscard]] Error broken_symbol(u32 index, std::string_view field, std::string message) const;
  [[nodiscard]] SectionRole role(u32 section) const { return object_.kinds[section].role; }

  const InputObject &object_;
  const elf::Section *symtab_ = nullptr;
  std::vector<bool> is_named_;       // by section: a function symbol starts there
  std::array<bool, 256> is_known_{}; // by st_info: there is such a binding and type
};

std::optional<Error> ObjectChecker::run() {
  for (const elf::Section &section : object_.view.sections())
    if (section.type == elf::SectionType::Symtab)
      symtab_ = &section;
  if (!symtab_)
    return Error{"section table", "", "there is no symbol table"};
  if (std::optional<Error> error = check_sizes())
    return error;
  for (const elf::Section &section : object_.view.sections())
    if (std::optional<Error> error = check_section(section))
      return error;
  is_named_.assign(object_.kinds.size(), false);
  if (object_.symbols.empty())
    return broken_section(*symtab_, "sh_size", "there is not even the first, empty symbol");
  if (const elf::Symbol &first = object_.symbols[0];
      first.info != 0 || first.raw_section != 0 || !first.name.empty())
    return broken_symbol(0, "st_name, st_info, st_shndx", "the first symbol is not empty");
  for (u32 i = 1; i < object_.symbols.size(); ++i)
    if (std::optional<Error> error = check_symbol(i))
      return error;
  if (std::optional<Error> error = check_code())
    return error;
  return check_fields(object_);
}

// Sections that share bytes would each be written out: a megabyte could become terabytes. No
// compiler lets them, but a file may have a few.
std::optional<Error> ObjectChecker::check_sizes() const {
  constexpr u64 kMostTimes = 4;
  const u64 file = object_.view.file().size();
  u64 total = 0;
  for (const elf::Section &section : object_.view.sections()) {
    total += section.no_data() ? 0 : section.size;
    if (total > kMostTimes * file)
      return broken_section(section, "sh_offset, sh_size",
                            fmt::format("with this one, sections have more than {} times the "
                                        "{:#x} bytes of the file: they overlap",
                                        kMostTimes, file));
  }
  return std::nullopt;
}

std::optional<Error> ObjectChecker::check_section(const elf::Section &section) const {
  const elf::SectionKind &kind = object_.kinds[section.index];
  if (section.is_mercury() && !section.name.starts_with(".nv.merc.") &&
      !section.name.starts_with(".nv.capmerc."))
    return broken_section(section, "sh_flags", "the Mercury flag does not go with this name");
  if (section.index == 0 || kind.mercury)
    return std::nullopt;
  const bool global = kind.role == SectionRole::Global || kind.role == SectionRole::GlobalInit;
  if (section.align > (global ? kMaxGlobalAlign : kMaxAlign))
    return broken_section(section, "sh_addralign",
                          fmt::format("{:#x} is more than any target has", section.align));
  if (section.no_data() && section.size >= kMaxSize)
    return broken_section(section, "sh_size",
                          fmt::format("{:#x} is more than any target has", section.size));
  if (section.type == elf::SectionType::Note && (section.flags & elf::kFlagAlloc) != 0)
    return broken_section(section, "sh_flags", "a note is not loaded");
  if (section.type != elf::SectionType::Note && section.name.starts_with(".note."))
    return broken_section(section, "sh_type", "a note by its name, but not by its type");
  const bool any_name = kind.role == SectionRole::Unknown || kind.role == SectionRole::Note ||
                        kind.role == SectionRole::StringTable;
  const bool fits =
      name_fits(section, kind) && (!any_name || !has_known_name(section.name, kind.role));
  if (!fits && section.type != elf::SectionType::Null)
    return broken_section(
        section, "sh_type",
        fmt::format("{:#x} does not go with this name", static_cast<u32>(section.type)));
  if (kind.role == SectionRole::Info && !kind.owner.empty() &&
      section.info < object_.kinds.size() && role(section.info) == SectionRole::Text &&
      object_.kinds[section.info].owner != kind.owner)
    return broken_section(section, "sh_info",
                          fmt::format("{} is the code of another function",
                                      elf::describe_section(object_.section(section.info))));
  if (kind.role == SectionRole::Info && kind.owner.empty() && section.info != 0)
    return broken_section(section, "sh_info", "these records are about all functions");
  if (elf::is_relocation_table(section.type)) {
    if (section.link != symtab_->index)
      return broken_section(section, "sh_link",
                            fmt::format("{} is not the symbol table", section.link));
    if (section.info == 0 && section.size != 0)
      return broken_section(section, "sh_info", "names no section that the relocations are for");
    if (section.size != 0 && !is_table_of(section, object_.section(section.info).name))
      return broken_section(section, "sh_info",
                            fmt::format("{} is not the section of this name",
                                        elf::describe_section(object_.section(section.info))));
  }
  return std::nullopt;
}

Error ObjectChecker::broken_symbol(u32 index, std::string_view field, std::string message) const {
  return broken_section(
      *symtab_, fmt::format("{} of symbol {} '{}'", field, index, object_.symbols[index].name),
      std::move(message));
}

std::optional<Error> ObjectChecker::check_symbol(u32 index) {
  const elf::Symbol &symbol = object_.symbols[index];
  if (!is_known_[symbol.info]) {
    if (symbol.binding() > elf::SymbolBinding::Weak)
      return broken_symbol(index, "st_info", fmt::format("unknown binding {}", symbol.info >> 4));
    if (!elf::name_of_symbol_type(symbol.type()))
      return broken_symbol(index, "st_info", fmt::format("unknown type {}", symbol.info & 15));
    is_known_[symbol.info] = true;
  }
  if (is_image(symbol.type()))
    if (std::optional<Error> error = check_image(index, symbol))
      return error;
  if (is_table_name(symbol.name) &&
      (!symbol.undefined() ||
       (symbol.type() != SymbolType::Object && symbol.type() != SymbolType::CudaObject)))
    return broken_symbol(index, "st_info, st_shndx",
                         "a definition or no variable, with the name of a table of the system");
  constexpr std::string_view kReserved = ".nv.reservedSmem.";
  if (symbol.name.starts_with(kReserved) &&
      (symbol.type() == SymbolType::Function ||
       (symbol.in_section() && role(symbol.section) != SectionRole::ReservedShared)))
    return broken_symbol(index, "st_info, st_shndx", "is not in the shared memory of the system");
  if (symbol.size >= kMaxSize)
    return broken_symbol(index, "st_size",
                         fmt::format("{:#x} is more than any target has", symbol.size));
  const bool instance = symbol.binding() == elf::SymbolBinding::Weak && is_shared(symbol.other);
  // Dynamic shared memory, whose symbol has its alignment since 13.1.
  const bool dynamic =
      symbol.undefined() && is_shared(symbol.other) && symbol.size == 0 && !instance;
  if ((symbol.common() || dynamic) && symbol.value != 0 && !is_power_of_two(symbol.value))
    return broken_symbol(index, "st_value",
                         fmt::format("alignment {:#x} is not a power of two", symbol.value));
  if ((symbol.common() || dynamic || (symbol.undefined() && instance)) && symbol.value > kMaxAlign)
    return broken_symbol(index, "st_value",
                         fmt::format("alignment {:#x} is more than any target has", symbol.value));
  if (symbol.in_section())
    return check_place(index, symbol);
  if (symbol.undefined() && symbol.binding() == elf::SymbolBinding::Local &&
      (symbol.type() == SymbolType::CudaObject || symbol.type() == SymbolType::Function) &&
      symbol.name != kSizeOfConstants)
    return broken_symbol(index, "st_shndx", "local, but in no section of this file");
  if (symbol.undefined() && instance && (symbol.other & kOtherInternal) != 0 && symbol.size != 0)
    return broken_symbol(index, "st_size", "an instance of dynamic memory with a size");
  if (symbol.common() && symbol.binding() != elf::SymbolBinding::Global)
    return broken_symbol(index, "st_info", "a common symbol is not global");
  if (!symbol.undefined() && !symbol.common())
    return broken_symbol(index, "st_shndx",
                         fmt::format("{:#x} has no meaning here", symbol.raw_section));
  return std::nullopt;
}

// An image is in no memory; in code, it is an opaque parameter of a kernel.
std::optional<Error> ObjectChecker::check_image(u32 index, const elf::Symbol &symbol) const {
  if ((symbol.other & kSpaceMask) != 0)
    return broken_symbol(index, "st_other", "an image with a memory space");
  if (symbol.in_section() && role(symbol.section) != SectionRole::Text)
    return broken_symbol(
        index, "st_shndx",
        fmt::format("an image in {}", elf::describe_section(object_.section(symbol.section))));
  return std::nullopt;
}

std::optional<Error> ObjectChecker::check_place(u32 index, const elf::Symbol &symbol) {
  switch (symbol.type()) {
  case SymbolType::Section:
    if (symbol.binding() != elf::SymbolBinding::Local)
      return broken_symbol(index, "st_info", "a section symbol is not local");
    return std::nullopt;
  case SymbolType::Function:
    return check_function(index, symbol);
  default:
    return check_variable(index, symbol);
  }
}

std::optional<Error> ObjectChecker::check_function(u32 index, const elf::Symbol &symbol) {
  const elf::Section &section = object_.section(symbol.section);
  if ((section.flags & elf::kFlagExec) == 0 && role(symbol.section) != SectionRole::Text)
    return broken_symbol(
        index, "st_shndx",
        fmt::format("a function in {}, which is not code", elf::describe_section(section)));
  if (symbol.name.empty())
    return broken_symbol(index, "st_name", "a function without a name");
  if (symbol.name == section.name)
    return broken_symbol(index, "st_info", "a function with the name of its section");
  if (symbol.value % kInstructionBytes != 0)
    return broken_symbol(index, "st_value", "the function begins between two instructions");
  if (symbol.value > section.size || symbol.size > section.size - symbol.value)
    return broken_symbol(index, "st_size", "the function does not fit its section");
  // The stub of a unified function F is named after its section, .nv.uft.rel.F.
  constexpr std::string_view kStub = "__cuda_uf_stub_", kSlot = ".nv.uft.rel.";
  if (role(symbol.section) == SectionRole::UftRel &&
      !(symbol.name.starts_with(kStub) && section.name.starts_with(kSlot) &&
        symbol.name.substr(kStub.size()) == section.name.substr(kSlot.size())))
    return broken_symbol(index, "st_name",
                         fmt::format("is not that of {}", elf::describe_section(section)));
  const u32 owner = object_.owner_of_code(symbol.section);
  if (symbol.value == 0 && owner < object_.symbols.size() &&
      ((object_.symbols[owner].other ^ symbol.other) & elf::kOtherKernel) != 0)
    return broken_symbol(index, "st_other",
                         fmt::format("{} is the code of '{}', and one of both is a kernel",
                                     elf::describe_section(section), object_.symbols[owner].name));
  is_named_[symbol.section] = is_named_[symbol.section] || symbol.value == 0;
  return std::nullopt;
}

// Memory spaces: the sections that variables may be in, and their st_other.
struct SpaceRow {
  SectionRole role;
  u8 other; // 0: anything
};
constexpr std::array<SpaceRow, 13> kSpaces = {{
    {SectionRole::Constant, elf::kOtherConstant},
    {SectionRole::ConstantNamed, elf::kOtherConstant},
    {SectionRole::Global, elf::kOtherGlobal},
    {SectionRole::GlobalInit, elf::kOtherGlobal},
    {SectionRole::Shared, elf::kOtherShared},
    {SectionRole::DebugShared, elf::kOtherShared},
    {SectionRole::ReservedShared, 0},
    {SectionRole::Local, 0},
    {SectionRole::Host, 0},
    {SectionRole::Uft, 0},
    {SectionRole::UftEntry, 0},
    {SectionRole::Udt, 0},
    {SectionRole::UdtEntry, 0},
}};

std::optional<Error> ObjectChecker::check_variable(u32 index, const elf::Symbol &symbol) const {
  const elf::Section &section = object_.section(symbol.section);
  const SectionRole where = role(symbol.section);
  const auto space = std::find_if(kSpaces.begin(), kSpaces.end(),
                                  [where](const SpaceRow &row) { return row.role == where; });
  if (symbol.name.empty() && symbol.type() == SymbolType::NoType)
    return std::nullopt; // a placeholder of ptxas
  if (is_image(symbol.type()) && where == SectionRole::Text && !symbol.name.empty())
    return std::nullopt; // an opaque parameter of the kernel
  if (symbol.type() != SymbolType::Object && symbol.type() != SymbolType::CudaObject &&
      symbol.type() != SymbolType::NoType && !is_image(symbol.type()))
    return broken_symbol(index, "st_info",
                         fmt::format("no variable, but in {}", elf::describe_section(section)));
  if (space == kSpaces.end() || symbol.name.empty())
    return broken_symbol(index, "st_shndx",
                         fmt::format("a variable in {}", elf::describe_section(section)));
  if (const u8 other = symbol.other & kSpaceMask;
      space->other != 0 && other != space->other &&
      (other != 0 || symbol.type() == SymbolType::CudaObject))
    return broken_symbol(index, "st_other",
                         fmt::format("{:#04x} is not the memory space of {}", symbol.other,
                                     elf::describe_section(section)));
  if ((where == SectionRole::Global || where == SectionRole::GlobalInit) && section.size == 0)
    return broken_symbol(
        index, "st_shndx",
        fmt::format("a variable in {}, which is empty", elf::describe_section(section)));
  if (where == SectionRole::Shared && symbol.size == 0)
    return broken_symbol(index, "st_size", "a shared variable without a size");
  if (space->other == elf::kOtherShared) { // the value is its alignment
    if (symbol.value > kMaxAlign)
      return broken_symbol(index, "st_value",
                           fmt::format("{:#x} is more than any target has", symbol.value));
    return std::nullopt;
  }
  if (where == SectionRole::Constant && object_.kinds[symbol.section].bank != kAddressBank &&
      (symbol.other & kOtherInternal) != 0 && symbol.binding() != elf::SymbolBinding::Local)
    return broken_symbol(index, "st_info", "a constant of the compiler that is not local");
  if (where == SectionRole::Constant && object_.kinds[symbol.section].bank != kAddressBank &&
      (symbol.other & kOtherInternal) != 0 && symbol.size == 0)
    return broken_symbol(index, "st_size", "a constant of the compiler without a size");
  if (where == SectionRole::ReservedShared && symbol.value > std::max<u64>(section.align, 1))
    return broken_symbol(index, "st_value",
                         fmt::format("alignment {:#x} is more than that of {}", symbol.value,
                                     elf::describe_section(section)));
  if (space->other != 0 &&
      (symbol.value > section.size || symbol.size > section.size - symbol.value))
    return broken_symbol(index, "st_value, st_size",
                         fmt::format("bytes {:#x} + {:#x} lie outside {} ({:#x} bytes)",
                                     symbol.value, symbol.size, elf::describe_section(section),
                                     section.size));
  return std::nullopt;
}

// Code without a symbol would be left out silently; and names of output sections are made from the
// function that sh_info names.
std::optional<Error> ObjectChecker::check_code() const {
  for (const elf::Section &section : object_.view.sections()) {
    const elf::SectionKind &kind = object_.kinds[section.index];
    const bool stub = kind.role == SectionRole::UftRel;
    if ((kind.role != SectionRole::Text && !stub) || kind.mercury || section.size == 0)
      continue;
    if (!is_named_[section.index])
      return broken_section(section, "", "no function symbol names this code");
    const u32 owner = object_.owner_of_code(section.index);
    if (owner >= object_.symbols.size() || object_.symbols[owner].section != section.index ||
        object_.symbols[owner].type() != SymbolType::Function)
      return broken_section(section, "sh_info",
                            fmt::format("symbol {} is not a function in it", owner));
    if (!stub && object_.symbols[owner].name != kind.owner)
      return broken_section(
          section, "sh_info",
          fmt::format("symbol {} has another name, '{}'", owner, object_.symbols[owner].name));
  }
  return check_memory_of_kernels();
}

// Parameters and shared memory are those of kernels.
std::optional<Error> ObjectChecker::check_memory_of_kernels() const {
  for (const elf::Section &section : object_.view.sections()) {
    const elf::SectionKind &kind = object_.kinds[section.index];
    const bool parameters =
        kind.role == SectionRole::Constant && kind.bank == 0 && !kind.owner.empty();
    if ((kind.role != SectionRole::Shared && !parameters) || kind.mercury)
      continue;
    const bool code = section.info != 0 && section.info < object_.kinds.size() &&
                      role(section.info) == SectionRole::Text &&
                      object_.kinds[section.info].owner == kind.owner;
    const u32 owner = code ? object_.owner_of_code(section.info) : 0;
    if (owner == 0 || owner >= object_.symbols.size() ||
        (object_.symbols[owner].other & elf::kOtherKernel) == 0)
      return broken_section(section, "sh_info", "is not the code of a kernel of this name");
  }
  return std::nullopt;
}

} // namespace

std::optional<Error> check_object(const InputObject &object) {
  return ObjectChecker(object).run();
}

} // namespace culink
