// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An object for sm_100 and later holds two objects in one file. .nv.merc.X is the Mercury form of
// the section X, .nv.capmerc.text.F is the Mercury form of the code of F, and .nv.merc.symtab has
// the symbols of .symtab in the same order. nvlink links the Mercury object by its usual rules and
// makes machine code of the result. So this file extracts the Mercury object as an ordinary object.
//
// What may surprise: code is a capsule, a difference to the machine code, and far shorter than the
// code that it expands to. Its section has the bytes of the capsule but the size of the expanded
// code, because offsets of relocations refer to the expanded code.

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "elf/names.h"
#include "elf/records/nv_info.h"
#include "elf/target/arch.h"
#include "elf/target/driver_functions.h"
#include "input/load_object.h"
#include "support/string_index.h"

namespace culink {

using elf::SectionRole;
using elf::SectionType;

namespace {

// The records that a function has in both forms, in the same order. Other records hold code
// offsets, which differ, or exist in one form only.
constexpr std::array kSaidTwice = {
    elf::InfoAttribute::MaxThreads,
    elf::InfoAttribute::KparamInfo,
    elf::InfoAttribute::MaxregCount,
    elf::InfoAttribute::CrsStackSize,
    elf::InfoAttribute::CoopGroupMaskRegids,
    elf::InfoAttribute::CudaApiVersion,
    elf::InfoAttribute::CtaPerCluster,
    elf::InfoAttribute::ExplicitCluster,
    elf::InfoAttribute::ReservedSmemUsed,
    elf::InfoAttribute::VrcCtaInitCount,
    elf::InfoAttribute::NumBarriers,
    elf::InfoAttribute::AtEntryFragments,
    elf::InfoAttribute::SparseMmaMask,
    elf::InfoAttribute::Tcgen05OneCtaUsed,
    elf::InfoAttribute::StubFunctionKind,
    elf::InfoAttribute::MercuryIsaVersion,
    elf::InfoAttribute::Language,
};
using InfoReader = elf::RecordReader<elf::InfoAttribute>;

// True for the record of exits: both forms have it, with different offsets.
bool has_own_places(const elf::InfoRecord &record) {
  return record.attribute == elf::InfoAttribute::ExitInstrOffsets;
}

// Reads up to the next record that both forms have. Returns false at the end.
bool find_said_twice(InfoReader &reader) {
  while (reader.next())
    if (std::ranges::find(kSaidTwice, reader.record().attribute) != kSaidTwice.end() ||
        has_own_places(reader.record()))
      return true;
  return false;
}

// True if records of the two forms can describe the same function.
bool is_said_alike(const elf::InfoRecord &sass, const elf::InfoRecord &mercury) {
  return sass == mercury || (has_own_places(sass) && has_own_places(mercury));
}

class PlaneBuilder {
public:
  explicit PlaneBuilder(const InputObject &object)
      : object_(object), sections_(object.view.sections().begin(), object.view.sections().end()) {}

  [[nodiscard]] Result<InputObject> run();

private:
  [[nodiscard]] std::optional<Error> find_counterparts();
  [[nodiscard]] std::optional<Error> read_symbols();
  [[nodiscard]] std::optional<Error> compare_types() const;
  [[nodiscard]] std::optional<Error> compare_tables() const;
  [[nodiscard]] std::optional<Error> compare_records() const;
  [[nodiscard]] std::optional<Error> compare_registers(const InputObject &plane) const;
  void replace_sections();
  [[nodiscard]] elf::Section replaced(const elf::Section &sass, const elf::Section &mercury) const;
  [[nodiscard]] u32 number_of(u32 index) const { return sass_of_[index] ? sass_of_[index] : index; }

  const InputObject &object_;
  std::vector<elf::Section> sections_;
  std::vector<u32> counterpart_of_; // by section: its Mercury form, or 0
  std::vector<u32> sass_of_;        // the inverse mapping
  const elf::Section *symtab_ = nullptr;
  std::vector<elf::Symbol> symbols_;
};

Error broken_plane(const elf::Section &section, std::string field, std::string message) {
  return {elf::describe_section(section), std::move(field), std::move(message)};
}

// If names repeat, sections of the two planes are matched in order.
std::optional<Error> PlaneBuilder::find_counterparts() {
  counterpart_of_.assign(sections_.size(), 0);
  sass_of_.assign(sections_.size(), 0);
  NameMap<std::vector<u32>> by_name; // newest first
  for (u32 i = static_cast<u32>(sections_.size()); i-- > 0;) {
    if (sections_[i].type == SectionType::MercurySymtab)
      symtab_ = &object_.section(i);
    else if (object_.kinds[i].mercury)
      by_name[sections_[i].name].push_back(i);
  }
  if (!symtab_)
    return Error{"section table", "",
                 "there is no .nv.merc.symtab, but e_flags claim Mercury code"};
  for (const elf::Section &section : sections_) {
    if (section.index == 0 || object_.kinds[section.index].mercury)
      continue;
    const auto found = by_name.find(elf::mercury_counterpart_name(section.name));
    if (found != by_name.end() && !found->second.empty()) {
      counterpart_of_[section.index] = found->second.back();
      sass_of_[found->second.back()] = section.index;
      found->second.pop_back();
    } else if (object_.kinds[section.index].role == SectionRole::Text) {
      return broken_plane(section, "", "there is no .nv.capmerc.text section for this code");
    }
  }
  for (const elf::Section &section : object_.view.sections())
    if (object_.kinds[section.index].mercury && section.type != SectionType::MercurySymtab &&
        sass_of_[section.index] == 0 && section.size != 0)
      return broken_plane(section, "", "there is no machine-code section for it");
  return compare_types();
}

// A section of the plane has the type of the machine code's section and the bytes of its Mercury
// form.
std::optional<Error> PlaneBuilder::compare_types() const {
  for (const elf::Section &sass : object_.view.sections()) {
    const elf::Section &mercury = object_.section(counterpart_of_[sass.index]);
    const bool lacks_data = mercury.no_data() && !sass.no_data();
    const bool has_other_entries = elf::is_relocation_table(sass.type) &&
                                   elf::is_rela(sass.type) != elf::is_rela(mercury.type);
    if (mercury.index != 0 && mercury.size != 0 && (lacks_data || has_other_entries))
      return broken_plane(mercury, "sh_type",
                          fmt::format("does not go with {}", elf::describe_section(sass)));
  }
  return std::nullopt;
}

std::optional<Error> PlaneBuilder::read_symbols() {
  const elf::SymbolTable table = object_.view.symbols(*symtab_);
  // Symbols of constant bank 0 follow the symbols of the table.
  symbols_.assign(object_.symbols.size(), elf::Symbol{});
  if (table.size() > symbols_.size())
    return broken_plane(
        *symtab_, "sh_size",
        fmt::format("{} symbols, but only {} in .symtab", table.size(), symbols_.size()));
  for (u32 i = table.size(); i < symbols_.size(); ++i)
    if (const elf::Symbol &sass = object_.symbols[i];
        sass.type() == elf::SymbolType::Function && !is_image_function(object_, sass))
      return broken_plane(
          *symtab_, "",
          fmt::format("has no '{}', which the machine code calls in place of Mercury "
                      "instructions; --code=sass can link it",
                      sass.name));
  for (u32 i = 0; i < table.size(); ++i) {
    elf::Symbol symbol = table[i];
    const elf::Symbol &sass = object_.symbols[i];
    const bool same = symbol.name == sass.name || symbol.type() == elf::SymbolType::Section;
    if (!same || symbol.binding() != sass.binding())
      return broken_plane(*symtab_, fmt::format("symbol {} '{}'", i, symbol.name),
                          fmt::format("is '{}' in .symtab", sass.name));
    const bool variable = symbol.type() == elf::SymbolType::CudaObject && symbol.in_section();
    if (symbol.type() != elf::SymbolType::Section &&
        (symbol.info != sass.info || symbol.other != sass.other ||
         (variable && (symbol.value != sass.value || symbol.size != sass.size))))
      return broken_plane(*symtab_, fmt::format("symbol {} '{}'", i, symbol.name),
                          "has another type, value or size in .symtab");
    symbol.name = sass.name;
    if (symbol.in_section()) {
      const u32 section = symbol.section;
      if (object_.kinds[section].mercury && sass_of_[section] == 0)
        return broken_plane(
            *symtab_, fmt::format("st_shndx of symbol {} '{}'", i, symbol.name),
            fmt::format("section {} is not the Mercury form of a section", section));
      symbol.section = number_of(section);
      if (sass.in_section() && symbol.section != sass.section && symbol.type() == sass.type())
        return broken_plane(*symtab_, fmt::format("st_shndx of symbol {} '{}'", i, symbol.name),
                            fmt::format("is not the Mercury form of {}",
                                        elf::describe_section(object_.section(sass.section))));
      symbol.raw_section = elf::kSectionXindex;
    }
    if (symbol.undefined() != sass.undefined())
      return broken_plane(*symtab_, fmt::format("st_shndx of symbol {} '{}'", i, symbol.name),
                          "defined in one form of the object and not in the other");
    symbols_[i] = symbol;
  }
  return std::nullopt;
}

// The relocation tables of both forms of a section have corresponding names. Code expands to the
// size of its function.
std::optional<Error> PlaneBuilder::compare_tables() const {
  for (const elf::Section &sass : object_.view.sections()) {
    const u32 index = counterpart_of_[sass.index];
    if (index == 0)
      continue;
    const elf::Section &mercury = object_.section(index);
    if (object_.kinds[sass.index].is_code() && mercury.size != 0 &&
        mercury.info < symbols_.size() && symbols_[mercury.info].size == 0)
      return broken_plane(mercury, "sh_info",
                          fmt::format("symbol {} '{}' is a function without code", mercury.info,
                                      symbols_[mercury.info].name));
    if (!elf::is_relocation_table(sass.type))
      continue;
    if (mercury.info >= sections_.size() || number_of(mercury.info) != sass.info)
      return broken_plane(
          mercury, "sh_info",
          fmt::format("is not the Mercury form of what {} is for", elf::describe_section(sass)));
  }
  return std::nullopt;
}

// The output has the records of the Mercury form, so the records of the machine code have to agree.
std::optional<Error> PlaneBuilder::compare_records() const {
  for (const elf::Section &sass : object_.view.sections()) {
    const elf::SectionKind &kind = object_.kinds[sass.index];
    if (kind.role != SectionRole::Info || kind.owner.empty() || counterpart_of_[sass.index] == 0)
      continue;
    const elf::Section &mercury = object_.section(counterpart_of_[sass.index]);
    InfoReader in_sass(sass.data), in_mercury(mercury.data);
    bool more = true;
    while (more) {
      more = find_said_twice(in_sass);
      if (find_said_twice(in_mercury) != more ||
          (more && !is_said_alike(in_sass.record(), in_mercury.record())))
        return broken_plane(mercury, fmt::format("record at {:#x}", in_mercury.record().offset),
                            fmt::format("is not what {} says", elf::describe_section(sass)));
    }
  }
  return std::nullopt;
}

elf::Section PlaneBuilder::replaced(const elf::Section &sass, const elf::Section &mercury) const {
  elf::Section out = mercury;
  out.index = sass.index;
  out.name = sass.name;
  out.flags &= ~elf::kFlagMercury;
  out.type = sass.type;
  if (object_.kinds[sass.index].is_code()) {
    out.flags = sass.flags;
    out.align = sass.align;
    if (mercury.info < symbols_.size())
      out.size = symbols_[mercury.info].value + symbols_[mercury.info].size;
  } else if ((out.flags & elf::kFlagInfoLink) != 0 || elf::is_relocation_table(out.type)) {
    out.info = mercury.info < sections_.size() ? number_of(mercury.info) : 0;
  }
  out.link = mercury.link == symtab_->index ? sass.link : mercury.link;
  return out;
}

// The number of registers must also agree, unless the machine code calls the driver instead of
// Mercury instructions.
std::optional<Error> PlaneBuilder::compare_registers(const InputObject &plane) const {
  if (const arch::ArchInfo *target = arch::find_arch(object_.sm);
      target && target->calls_driver_for_images)
    return std::nullopt;
  for (u32 i = 0; i < plane.registers.size(); ++i)
    if (plane.registers[i] != object_.registers[i] && plane.symbols[i].in_section())
      return broken_plane(*symtab_, fmt::format("symbol {} '{}'", i, object_.symbols[i].name),
                          "has another REGCOUNT in .nv.info than in .nv.merc.nv.info");
  return std::nullopt;
}

void PlaneBuilder::replace_sections() {
  for (const elf::Section &sass : object_.view.sections()) {
    const elf::SectionKind &kind = object_.kinds[sass.index];
    const bool parameters = kind.role == SectionRole::Constant && kind.bank == 0;
    const bool driver_calls =
        elf::is_relocation_table(sass.type) && object_.kinds[sass.info].is_code();
    elf::Section &out = sections_[sass.index];
    if (const u32 mercury = counterpart_of_[sass.index]; mercury != 0 && !parameters) {
      out = replaced(sass, object_.section(mercury));
    } else if (kind.mercury || parameters || driver_calls) {
      out = {};
      out.index = sass.index;
    }
  }
}

Result<InputObject> PlaneBuilder::run() {
  if (std::optional<Error> error = find_counterparts())
    return std::move(*error);
  if (std::optional<Error> error = read_symbols())
    return std::move(*error);
  if (std::optional<Error> error = compare_tables())
    return std::move(*error);
  if (std::optional<Error> error = compare_records())
    return std::move(*error);
  replace_sections();
  Result<InputObject> plane = parse_object(
      object_.name, object_.view.with_sections(std::move(sections_)), std::move(symbols_));
  if (!plane)
    return plane.error();
  if (std::optional<Error> error = compare_registers(*plane))
    return std::move(*error);
  plane->parameter_sizes.assign(object_.kinds.size(), 0);
  for (const elf::Section &bank : object_.view.sections())
    if (object_.kinds[bank.index].role == SectionRole::Constant &&
        object_.kinds[bank.index].bank == 0)
      plane->parameter_sizes[object_.owner_of(bank.index)] = bank.size;
  plane->sm = object_.sm;
  plane->virtual_sm = object_.virtual_sm;
  plane->toolkit = object_.toolkit;
  plane->unfamiliar = object_.unfamiliar;
  plane->capsule = true;
  plane->system = object_.system;
  return plane;
}

} // namespace

bool is_image_function(const InputObject &object, const elf::Symbol &symbol) {
  const arch::ArchInfo *target = arch::find_arch(object.sm);
  return target && target->calls_driver_for_images && symbol.undefined() &&
         symbol.type() == elf::SymbolType::Function && arch::is_driver_function(symbol.name);
}

Result<InputObject> parse_mercury_plane(const InputObject &object) {
  return PlaneBuilder(object).run();
}

} // namespace culink
