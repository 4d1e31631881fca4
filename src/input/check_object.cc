// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks the invariants that passes rely on. Every object of a compiler or a relocatable link
// satisfies them, so a violation means a damaged file. nvlink has no such checks: it crashes, or
// links the rest.
#include "input/load_object.h"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "elf/target/instructions.h"
#include "elf/target/reloc.h"
#include "support/bytes.h"

namespace culink {

using elf::SectionRole;
using elf::SymbolType;

namespace {

constexpr u64 kMaxSize = u64{1} << 40; // keeps sums in range; no memory space is nearly as large
constexpr u8 kSpaceMask = elf::kOtherConstant | elf::kOtherGlobal | elf::kOtherShared;
constexpr u8 kAddressBank = 4; // bank of variable addresses, for position-independent code
// Padding is written to the file. Dynamic shared memory of a relocatable link has the size of all
// static shared memory as its alignment.
constexpr u64 kMaxAlign = u64{1} << 18;
constexpr u64 kMaxGlobalAlign = u64{1} << 30; // the most that ptxas accepts
// The linker provides this value, so the symbol is local and undefined.
constexpr std::string_view kSizeOfConstants = ".nv.ptx.const0.size";

// All types except those of source files, common and thread-local variables, which are for hosts.
bool is_device_type(SymbolType type) {
  return type <= SymbolType::Section ||
         (type >= SymbolType::CudaTexture && type <= SymbolType::CudaObject);
}

constexpr std::string_view kReserved = ".nv.reservedSmem.";

// True if a name begins like a name that determines the kind of its symbol: see check_special_name.
inline bool may_be_special(std::string_view name) {
  return name.starts_with("__U") || name.starts_with(".nv.r");
}

// True if a name is the name of a table of unified functions or data, or of a part of one.
// Compilers declare them in every file, and the loader creates them.
bool is_table_name(std::string_view name) {
  return name.starts_with("__U") && (name.starts_with("__UFT") || name.starts_with("__UDT")) &&
         (name.size() == 5 || name[5] == '_');
}

// ---- Fields of relocations
//
// A field must not have two values. For two relocations of one field, nvlink 13.0 adds up the
// values if the table has no addends; otherwise the value of the first entry overwrites the other.
// Compilers do give one instruction two relocations, for different bits.
//
// What may surprise: fields of data may partially overlap, because ptxas writes pointers of 8 bytes
// into arrays of 4 (the loader fills them). In debug information no fields overlap.
//
// Two more rules about single entries keep the linker, nvlink and the checker consistent: a field
// of machine code begins with an instruction, and a value has a symbol it comes from. None of 4,090
// objects of compilers and relocatable links breaks them.

// True if the fields of two relocations at one offset have a bit in common.
bool share_bits(const arch::RelocInfo &a, const arch::RelocInfo &b) {
  for (const arch::RelocPiece &first : a.pieces)
    for (const arch::RelocPiece &second : b.pieces)
      if (first.word_bit < second.word_bit + second.width &&
          second.word_bit < first.word_bit + first.width)
        return true;
  return false;
}

// One relocation.
struct FieldUse {
  u64 offset = 0;
  const arch::RelocInfo *row = nullptr;
  const elf::Section *table = nullptr;
  u32 index = 0; // in the table
  bool debug = false;
};

// Branch tables of Mercury code that nvlink -r has merged from two definitions have several
// relocations for one field; the reader of branch tables handles this (Q040).
bool may_repeat(const FieldUse &use) {
  return use.row->value == arch::ValueKind::CodeOffset;
}

// True if a field includes `offset`, which is not before its start.
bool reaches(const FieldUse &use, u64 offset) {
  return offset == use.offset || (use.debug && offset - use.offset < use.row->field_bytes);
}

bool collide(const FieldUse &first, const FieldUse &second) {
  return first.offset != second.offset ||
         (share_bits(*first.row, *second.row) && !may_repeat(second));
}

std::optional<Error> find_collision(std::vector<FieldUse> &uses) {
  std::ranges::stable_sort(uses, {}, &FieldUse::offset);
  // Keeps one of several permitted uses of one field, so that few uses share an offset.
  const auto same = std::unique(uses.begin(), uses.end(), [](const FieldUse &a, const FieldUse &b) {
    return a.offset == b.offset && may_repeat(a) && may_repeat(b);
  });
  uses.erase(same, uses.end());
  for (size_t i = 0; i < uses.size(); ++i)
    for (size_t other = i + 1; other < uses.size() && reaches(uses[i], uses[other].offset); ++other)
      if (collide(uses[i], uses[other]))
        return Error{elf::describe_section(*uses[other].table),
                     fmt::format("r_offset of entry {}", uses[other].index),
                     fmt::format("entry {} of {} already gives a value to the field at {:#x}",
                                 uses[i].index, elf::describe_section(*uses[i].table),
                                 uses[i].offset)};
  return std::nullopt;
}

// Returns the error of a field of machine code that does not begin with an instruction.
std::optional<Error> find_misplaced(const elf::Section &table,
                                    const elf::RelocationTable &entries) {
  u32 i = 0;
  for (const elf::Relocation entry : entries) {
    if (entry.offset % arch::kInstructionSize != 0 && entry.type < arch::kFirstMercuryReloc)
      return Error{elf::describe_section(table), fmt::format("r_offset of entry {}", i),
                   fmt::format("no instruction begins at {:#x}", entry.offset)};
    ++i;
  }
  return std::nullopt;
}

void add_uses(const InputObject &object, const elf::Section &table, std::vector<FieldUse> &uses) {
  const elf::RelocationTable entries = object.view.relocations(table);
  const bool debug = object.kinds[table.info].is_debug();
  for (u32 i = 0; i < entries.size(); ++i)
    if (const arch::RelocInfo *row = arch::find_reloc(entries[i].type); row && row->has_field())
      uses.push_back({entries[i].offset, row, &table, i, debug});
}

// True if offsets are strictly ascending or descending, as in nearly all tables, so that fields do
// not share bytes. Fields that begin at different offsets only overlap in debug information.
bool are_distinct(const elf::RelocationTable &entries, bool debug) {
  const auto size_of = [debug](const elf::Relocation &entry) -> u64 {
    const arch::RelocInfo *row = debug ? arch::find_reloc(entry.type) : nullptr;
    return row && row->has_field() ? row->field_bytes : 1;
  };
  const auto precedes = [&](const elf::Relocation &low, const elf::Relocation &high) {
    return low.offset < high.offset && high.offset - low.offset >= size_of(low);
  };
  if (entries.empty())
    return true;
  const bool falls = entries[0].offset > entries[entries.size() - 1].offset;
  for (u32 i = 1; i < entries.size(); ++i)
    if (falls ? !precedes(entries[i], entries[i - 1]) : !precedes(entries[i - 1], entries[i]))
      return false;
  return true;
}

// `tables`: the relocation tables of an object, except tables of Mercury code, in their order.
std::optional<Error> check_fields(const InputObject &object, std::span<const u32> tables) {
  // The last table of each section, and of each table the one before it for the same section.
  std::vector<u32> last(object.kinds.size(), 0), before(object.kinds.size(), 0);
  for (const u32 index : tables) {
    const elf::Section &table = object.section(index);
    if (object.kinds[table.info].role == SectionRole::Text)
      if (std::optional<Error> error = find_misplaced(table, object.view.relocations(table)))
        return error;
    before[index] = std::exchange(last[table.info], index);
  }
  std::vector<FieldUse> uses;
  for (const u32 table : last) {
    const elf::Section &section = object.section(table);
    if (table == 0 || (before[table] == 0 && are_distinct(object.view.relocations(section),
                                                          object.kinds[section.info].is_debug())))
      continue;
    uses.clear();
    for (u32 i = table; i != 0; i = before[i])
      add_uses(object, object.section(i), uses);
    if (std::optional<Error> error = find_collision(uses))
      return error;
  }
  return std::nullopt;
}

// ---- Names of sections and memory spaces

// Sections of these kinds are merged by name, so their names must match the kind. A section without
// file data may have any size, so it must be of one of these kinds.
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

std::string_view prefix_of(SectionRole role) {
  const auto row = std::ranges::find(kRoleNames, role, &RoleName::role);
  return row == kRoleNames.end() ? std::string_view() : row->prefix;
}

// True if a text is the number of a bank, alone or followed by a dot.
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
  if (kind.role == SectionRole::ReservedShared)
    return section.name.starts_with(".nv.shared.reserved.") ||
           section.name.starts_with(".nv.reservedSmem");
  const std::string_view prefix = prefix_of(kind.role);
  if (prefix.empty())
    return !section.no_data();
  return section.name.starts_with(prefix) &&
         (kind.role != SectionRole::Constant ||
          starts_with_bank(section.name.substr(prefix.size()), kind.bank));
}

// True if the name is known for a section of another type.
bool has_known_name(std::string_view name, SectionRole role) {
  return name.starts_with(".rel") ||
         std::ranges::any_of(elf::section_name_rules(), [&](const elf::SectionNameRule &rule) {
           const bool whole = rule.match == elf::NameMatch::Exact;
           return rule.role != role && (whole ? name == rule.name : name.starts_with(rule.name));
         });
}

// True if a relocation table has the name that belongs to its target section.
bool is_table_of(const elf::Section &table, std::string_view target) {
  const bool rela = table.type == elf::SectionType::Rela;
  return table.name.starts_with(".rel") && (!rela || table.name.substr(4).starts_with('a')) &&
         table.name.substr(rela ? 5 : 4) == target;
}

// The sections that variables may be in, and the st_other of each memory space.
struct SpaceRow {
  SectionRole role;
  u8 other; // 0: any value
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

// ---- Sections and symbols

class ObjectChecker {
public:
  explicit ObjectChecker(const InputObject &object)
      : object_(object), kinds_(object.kinds), symbols_(object.symbols) {}

  [[nodiscard]] Result<std::vector<u32>> run();

private:
  // These return false, and record the error, at the first violation.
  [[nodiscard]] bool check_tables();
  [[nodiscard]] bool check_sizes();
  [[nodiscard]] bool check_section(const elf::Section &section, const elf::SectionKind &kind);
  [[nodiscard]] bool check_relocations(const elf::Section &table);
  [[nodiscard]] bool check_name(const elf::Section &section, const elf::SectionKind &kind);
  [[nodiscard]] bool check_symbol(u32 index);
  [[nodiscard]] bool check_special_name(u32 index, const elf::Symbol &symbol);
  [[nodiscard]] bool check_image(u32 index, const elf::Symbol &symbol);
  [[nodiscard]] bool check_place(u32 index, const elf::Symbol &symbol);
  [[nodiscard]] bool check_elsewhere(u32 index, const elf::Symbol &symbol);
  [[nodiscard]] bool check_function(u32 index, const elf::Symbol &symbol);
  [[nodiscard]] bool check_variable(u32 index, const elf::Symbol &symbol);
  [[nodiscard]] bool check_code();
  [[nodiscard]] bool check_code_of(const elf::Section &section, const elf::SectionKind &kind);
  [[nodiscard]] bool is_of_kernel(const elf::Section &section, const elf::SectionKind &kind) const;
  void note_first(const elf::Section &section, const elf::SectionKind &kind);
  void note_code(const elf::Section &section);
  void note_memory(const elf::Section &section, const elf::SectionKind &kind);
  // These record the error of a section or a symbol, and return false.
  template <typename... Args>
  [[gnu::cold, gnu::noinline]] bool refuse(const elf::Section &section, const char *field,
                                           fmt::format_string<const Args &...> text,
                                           const Args &...args) {
    error_ = Error{elf::describe_section(section), field, fmt::format(text, args...)};
    return false;
  }
  template <typename... Args>
  [[gnu::cold, gnu::noinline]] bool refuse(u32 index, const char *field,
                                           fmt::format_string<const Args &...> text,
                                           const Args &...args) {
    error_ = Error{elf::describe_section(*symtab_),
                   fmt::format("{} of symbol {} '{}'", field, index, symbols_[index].name),
                   fmt::format(text, args...)};
    return false;
  }
  [[nodiscard]] SectionRole role(u32 section) const { return kinds_[section].role; }

  const InputObject &object_;
  const std::span<const elf::SectionKind> kinds_; // kinds of the object's sections
  const std::span<const elf::Symbol> symbols_;
  std::optional<Error> error_;
  const elf::Section *symtab_ = nullptr;
  std::vector<u32> code_, tables_;      // of code and of relocations, except Mercury code
  const elf::Section *stray_ = nullptr; // the first memory section that does not belong to a kernel
  std::vector<u32> functions_;          // symbols of defined functions
  std::vector<u8> is_named_;            // by section: a function symbol starts there
};

Result<std::vector<u32>> ObjectChecker::run() {
  const std::span<const elf::Section> sections = object_.view.sections();
  const auto symtab = std::ranges::find(sections, elf::SectionType::Symtab, &elf::Section::type);
  if (symtab == sections.end())
    return Error{"section table", "", "there is no symbol table"};
  symtab_ = &*symtab;
  if (!check_tables())
    return std::move(*error_);
  if (std::optional<Error> error = check_fields(object_, tables_))
    return std::move(*error);
  return std::move(functions_);
}

bool ObjectChecker::check_tables() {
  if (!check_sizes())
    return false;
  for (const elf::Section &section : object_.view.sections())
    if (!check_section(section, kinds_[section.index]))
      return false;
  is_named_.assign(kinds_.size(), 0);
  functions_.reserve(symbols_.size());
  if (symbols_.empty())
    return refuse(*symtab_, "sh_size", "there is not even the first, empty symbol");
  if (const elf::Symbol &first = symbols_[0];
      first.info != 0 || first.raw_section != 0 || !first.name.empty())
    return refuse(0, "st_name, st_info, st_shndx", "the first symbol is not empty");
  for (u32 i = 1; i < symbols_.size(); ++i)
    if (!check_symbol(i))
      return false;
  return check_code();
}

// Sections that share bytes would each be written to the output, so that a file of a megabyte could
// give terabytes. No compiler shares bytes, but a few shared ranges are permitted.
constexpr u64 kMostTimes = 4;

bool ObjectChecker::check_sizes() {
  const u64 file_size = object_.view.file().size();
  u64 total = 0; // cannot overflow: each section is smaller than the file
  for (const elf::Section &section : object_.view.sections()) {
    total += section.data.size();
    if (total > kMostTimes * file_size)
      return refuse(section, "sh_offset, sh_size",
                    "with this one, sections have more than {} times the "
                    "{:#x} bytes of the file: they overlap",
                    kMostTimes, file_size);
  }
  return true;
}

bool ObjectChecker::check_section(const elf::Section &section, const elf::SectionKind &kind) {
  if (section.is_mercury() && !section.name.starts_with(".nv.merc.") &&
      !section.name.starts_with(".nv.capmerc."))
    return refuse(section, "sh_flags", "the Mercury flag does not go with this name");
  if (kind.mercury)
    return true;
  if (section.index == 0) [[unlikely]] {
    note_first(section, kind);
    return true;
  }
  const bool global = kind.role == SectionRole::Global || kind.role == SectionRole::GlobalInit;
  if (section.align > kMaxAlign && (!global || section.align > kMaxGlobalAlign))
    return refuse(section, "sh_addralign", "{:#x} is more than any target has", section.align);
  if (section.size >= kMaxSize && section.no_data())
    return refuse(section, "sh_size", "{:#x} is more than any target has", section.size);
  if (!check_name(section, kind))
    return false;
  switch (kind.role) {
  case SectionRole::Info:
    if (!kind.owner.empty() && section.info < kinds_.size() &&
        role(section.info) == SectionRole::Text && kinds_[section.info].owner != kind.owner)
      return refuse(section, "sh_info", "{} is the code of another function",
                    elf::describe_section(object_.section(section.info)));
    [[fallthrough]];
  case SectionRole::Constant:
  case SectionRole::Global:
  case SectionRole::GlobalInit:
    if (kind.owner.empty() && section.info != 0)
      return refuse(section, "sh_info", "is {}, but this is about all functions", section.info);
    note_memory(section, kind);
    return true;
  case SectionRole::Shared:
    note_memory(section, kind);
    return true;
  case SectionRole::Text:
  case SectionRole::UftRel:
    note_code(section);
    return true;
  case SectionRole::Rel:
  case SectionRole::Rela:
  case SectionRole::ResolvedRela:
    tables_.push_back(section.index);
    return check_relocations(section);
  default:
    return true;
  }
}

// Code without a symbol would be dropped silently.
inline void ObjectChecker::note_code(const elf::Section &section) {
  if (section.size != 0)
    code_.push_back(section.index);
}

// Parameters and shared memory must belong to a kernel.
inline void ObjectChecker::note_memory(const elf::Section &section, const elf::SectionKind &kind) {
  const bool of_kernel =
      kind.role == SectionRole::Shared ||
      (kind.role == SectionRole::Constant && kind.bank == 0 && !kind.owner.empty());
  if (of_kernel && !stray_ && !is_of_kernel(section, kind))
    stray_ = &section;
}

// The first section has no contents to check, but it must not be code.
[[gnu::cold]] void ObjectChecker::note_first(const elf::Section &section,
                                             const elf::SectionKind &kind) {
  if (kind.is_code())
    note_code(section);
  else if (kind.is_relocations())
    tables_.push_back(section.index);
  else
    note_memory(section, kind);
}

// True if a relocation table belongs to the section that its name implies.
bool ObjectChecker::check_relocations(const elf::Section &table) {
  if (table.link != symtab_->index)
    return refuse(table, "sh_link", "{} is not the symbol table", table.link);
  if (table.size == 0)
    return true;
  if (table.info == 0)
    return refuse(table, "sh_info", "names no section that the relocations are for");
  const elf::Section &target = object_.section(table.info);
  return is_table_of(table, target.name) ||
         refuse(table, "sh_info", "{} is not the section of this name",
                elf::describe_section(target));
}

// True if name and type agree.
bool ObjectChecker::check_name(const elf::Section &section, const elf::SectionKind &kind) {
  if (section.type == elf::SectionType::Note && (section.flags & elf::kFlagAlloc) != 0)
    return refuse(section, "sh_flags", "a note is not loaded");
  if (section.type != elf::SectionType::Note && section.name.starts_with(".note."))
    return refuse(section, "sh_type", "a note by its name, but not by its type");
  const bool any_name = kind.role == SectionRole::Unknown || kind.role == SectionRole::Note ||
                        kind.role == SectionRole::StringTable;
  const bool fits =
      name_fits(section, kind) && (!any_name || !has_known_name(section.name, kind.role));
  if (!fits && section.type != elf::SectionType::Null)
    return refuse(section, "sh_type", "{:#x} does not go with this name",
                  static_cast<u32>(section.type));
  if ((kind.role == SectionRole::UftEntry || kind.role == SectionRole::UdtEntry) &&
      section.type == elf::SectionType::Progbits)
    return refuse(section, "sh_type", "{:#x} is what it has in executables, not in objects",
                  static_cast<u32>(section.type));
  return true;
}

bool ObjectChecker::check_symbol(u32 index) {
  const elf::Symbol &symbol = symbols_[index];
  if (symbol.binding() > elf::SymbolBinding::Weak)
    return refuse(index, "st_info", "unknown binding {}", symbol.info >> 4);
  if (!is_device_type(symbol.type()))
    return refuse(index, "st_info", "unknown type {}", symbol.info & 15);
  if (is_image(symbol.type()) && !check_image(index, symbol))
    return false;
  if (symbol.type() == SymbolType::Function && (symbol.other & kSpaceMask) != 0)
    return refuse(index, "st_other", "a function with a memory space");
  if (may_be_special(symbol.name) && !check_special_name(index, symbol))
    return false;
  if (symbol.size >= kMaxSize)
    return refuse(index, "st_size", "{:#x} is more than any target has", symbol.size);
  return symbol.in_section() ? check_place(index, symbol) : check_elsewhere(index, symbol);
}

bool ObjectChecker::check_special_name(u32 index, const elf::Symbol &symbol) {
  if (is_table_name(symbol.name) &&
      (!symbol.undefined() ||
       (symbol.type() != SymbolType::Object && symbol.type() != SymbolType::CudaObject)))
    return refuse(index, "st_info, st_shndx",
                  "a definition or no variable, with the name of a table of the system");
  if (symbol.name.starts_with(kReserved) &&
      (symbol.type() == SymbolType::Function ||
       (symbol.in_section() && role(symbol.section) != SectionRole::ReservedShared)))
    return refuse(index, "st_info, st_shndx", "is not in the shared memory of the system");
  return true;
}

// Checks a symbol without a section in the file: undefined, common or invalid.
bool ObjectChecker::check_elsewhere(u32 index, const elf::Symbol &symbol) {
  const bool instance = symbol.binding() == elf::SymbolBinding::Weak && is_shared(symbol.other);
  // Dynamic shared memory: since 13.1 the symbol has its alignment.
  const bool dynamic =
      symbol.undefined() && is_shared(symbol.other) && symbol.size == 0 && !instance;
  if ((symbol.common() || dynamic) && symbol.value != 0 && !is_power_of_two(symbol.value))
    return refuse(index, "st_value", "alignment {:#x} is not a power of two", symbol.value);
  if ((symbol.common() || dynamic || (symbol.undefined() && instance)) && symbol.value > kMaxAlign)
    return refuse(index, "st_value", "alignment {:#x} is more than any target has", symbol.value);
  if (symbol.undefined() && symbol.binding() == elf::SymbolBinding::Local &&
      symbol.type() != SymbolType::NoType && symbol.name != kSizeOfConstants)
    return refuse(index, "st_shndx", "local, but in no section of this file");
  if (symbol.undefined() && instance && (symbol.other & kOtherInternal) != 0 && symbol.size != 0)
    return refuse(index, "st_size", "an instance of dynamic memory with a size");
  if (symbol.common() && symbol.binding() != elf::SymbolBinding::Global)
    return refuse(index, "st_info", "a common symbol is not global");
  if (symbol.common() && symbol.type() == SymbolType::Function)
    return refuse(index, "st_shndx", "a function has no code in any section");
  if (symbol.common() && (symbol.other & (elf::kOtherShared | elf::kOtherConstant)) != 0)
    return refuse(index, "st_other", "a common symbol that is not in global memory");
  if (!symbol.undefined() && !symbol.common())
    return refuse(index, "st_shndx", "{:#x} has no meaning here", symbol.raw_section);
  return true;
}

// An image symbol is not in a memory space; in code, it is an opaque parameter of a kernel.
bool ObjectChecker::check_image(u32 index, const elf::Symbol &symbol) {
  if ((symbol.other & kSpaceMask) != 0)
    return refuse(index, "st_other", "an image with a memory space");
  return !symbol.in_section() || role(symbol.section) == SectionRole::Text ||
         refuse(index, "st_shndx", "an image in {}",
                elf::describe_section(object_.section(symbol.section)));
}

bool ObjectChecker::check_place(u32 index, const elf::Symbol &symbol) {
  if (symbol.type() == SymbolType::Section)
    return symbol.binding() == elf::SymbolBinding::Local ||
           refuse(index, "st_info", "a section symbol is not local");
  return symbol.type() == SymbolType::Function ? check_function(index, symbol)
                                               : check_variable(index, symbol);
}

bool ObjectChecker::check_function(u32 index, const elf::Symbol &symbol) {
  const elf::Section &section = object_.section(symbol.section);
  if ((section.flags & elf::kFlagExec) == 0 && role(symbol.section) != SectionRole::Text)
    return refuse(index, "st_shndx", "a function in {}, which is not code",
                  elf::describe_section(section));
  if (symbol.name.empty())
    return refuse(index, "st_name", "a function without a name");
  if (symbol.name == section.name)
    return refuse(index, "st_info", "a function with the name of its section");
  if (symbol.value % arch::kInstructionSize != 0)
    return refuse(index, "st_value", "the function begins between two instructions");
  if (symbol.value > section.size || symbol.size > section.size - symbol.value)
    return refuse(index, "st_size", "the function does not fit its section");
  // The stub of a unified function F is named after its section, .nv.uft.rel.F.
  constexpr std::string_view kStub = "__cuda_uf_stub_", kSlot = ".nv.uft.rel.";
  if (role(symbol.section) == SectionRole::UftRel &&
      !(symbol.name.starts_with(kStub) && section.name.starts_with(kSlot) &&
        symbol.name.substr(kStub.size()) == section.name.substr(kSlot.size())))
    return refuse(index, "st_name", "is not that of {}", elf::describe_section(section));
  const u32 owner = object_.owner_of_code(symbol.section);
  if (symbol.value == 0 && owner < symbols_.size() &&
      ((symbols_[owner].other ^ symbol.other) & elf::kOtherKernel) != 0)
    return refuse(index, "st_other", "{} is the code of '{}', and one of both is a kernel",
                  elf::describe_section(section), symbols_[owner].name);
  is_named_[symbol.section] |= symbol.value == 0 ? 1 : 0;
  functions_.push_back(index);
  return true;
}

bool ObjectChecker::check_variable(u32 index, const elf::Symbol &symbol) {
  const elf::Section &section = object_.section(symbol.section);
  const SectionRole where = role(symbol.section);
  const auto space = std::ranges::find(kSpaces, where, &SpaceRow::role);
  if (symbol.name.empty() && symbol.type() == SymbolType::NoType)
    return true; // a placeholder of ptxas
  if (is_image(symbol.type()) && where == SectionRole::Text && !symbol.name.empty())
    return true; // an opaque parameter of the kernel
  if (symbol.type() != SymbolType::Object && symbol.type() != SymbolType::CudaObject &&
      symbol.type() != SymbolType::NoType && !is_image(symbol.type()))
    return refuse(index, "st_info", "no variable, but in {}", elf::describe_section(section));
  if (space == kSpaces.end() || symbol.name.empty())
    return refuse(index, "st_shndx", "a variable in {}", elf::describe_section(section));
  if (const u8 other = symbol.other & kSpaceMask;
      space->other != 0 && other != space->other &&
      (other != 0 || symbol.type() == SymbolType::CudaObject))
    return refuse(index, "st_other", "{:#04x} is not the memory space of {}", symbol.other,
                  elf::describe_section(section));
  if ((where == SectionRole::Global || where == SectionRole::GlobalInit) && section.size == 0)
    return refuse(index, "st_shndx", "a variable in {}, which is empty",
                  elf::describe_section(section));
  if (where == SectionRole::Shared && symbol.size == 0)
    return refuse(index, "st_size", "a shared variable without a size");
  if (space->other == elf::kOtherShared) // the value is its alignment
    return symbol.value <= kMaxAlign ||
           refuse(index, "st_value", "{:#x} is more than any target has", symbol.value);
  const bool of_compiler = where == SectionRole::Constant &&
                           kinds_[symbol.section].bank != kAddressBank &&
                           (symbol.other & kOtherInternal) != 0;
  if (of_compiler && symbol.binding() != elf::SymbolBinding::Local)
    return refuse(index, "st_info", "a constant of the compiler that is not local");
  if (of_compiler && symbol.size == 0)
    return refuse(index, "st_size", "a constant of the compiler without a size");
  if (where == SectionRole::ReservedShared && symbol.value > std::max<u64>(section.align, 1))
    return refuse(index, "st_value", "alignment {:#x} is more than that of {}", symbol.value,
                  elf::describe_section(section));
  if (space->other != 0 &&
      (symbol.value > section.size || symbol.size > section.size - symbol.value))
    return refuse(index, "st_value, st_size", "bytes {:#x} + {:#x} lie outside {} ({:#x} bytes)",
                  symbol.value, symbol.size, elf::describe_section(section), section.size);
  return true;
}

// The names of output sections are made from the function that sh_info names.
bool ObjectChecker::check_code_of(const elf::Section &section, const elf::SectionKind &kind) {
  if (is_named_[section.index] == 0)
    return refuse(section, "", "no function symbol names this code");
  const u32 owner = object_.owner_of_code(section.index);
  if (owner >= symbols_.size() || symbols_[owner].section != section.index ||
      symbols_[owner].type() != SymbolType::Function)
    return refuse(section, "sh_info", "symbol {} is not a function in it", owner);
  if (kind.role == SectionRole::Text && symbols_[owner].name != kind.owner)
    return refuse(section, "sh_info", "symbol {} has another name, '{}'", owner,
                  symbols_[owner].name);
  return true;
}

// True if a section belongs to the code of a kernel with the name in the section's name.
bool ObjectChecker::is_of_kernel(const elf::Section &section, const elf::SectionKind &kind) const {
  const bool code = section.info != 0 && section.info < kinds_.size() &&
                    role(section.info) == SectionRole::Text &&
                    kinds_[section.info].owner == kind.owner;
  const u32 owner = code ? object_.owner_of_code(section.info) : 0;
  return owner != 0 && owner < symbols_.size() && (symbols_[owner].other & elf::kOtherKernel) != 0;
}

// The checks that need all symbols.
bool ObjectChecker::check_code() {
  for (const u32 index : code_)
    if (!check_code_of(object_.section(index), kinds_[index]))
      return false;
  return !stray_ || refuse(*stray_, "sh_info", "is not the code of a kernel of this name");
}

} // namespace

Result<std::vector<u32>> check_object(const InputObject &object) {
  return ObjectChecker(object).run();
}

} // namespace culink
