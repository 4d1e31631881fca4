// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The symbol tables. The Mercury symbol table mirrors the plain one and follows the same rules,
// with one exception: the size of a function is the size of its expanded Mercury code. The file
// contains the capsule instead, so the size cannot be compared with the section.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "elf/names.h"
#include "elf/section_kind.h"
#include "support/bytes.h"
#include "verify/file/verify_findings.h"

namespace culink::verify {

using elf::ElfView;
using elf::Section;
using elf::SectionType;
using elf::Symbol;
using elf::SymbolBinding;
using elf::SymbolTable;
using elf::SymbolType;

namespace {

// The bits of st_other except visibility. Bit 3 is unused. The bit of managed variables also marks
// unified functions, and the bit of kernels marks unified variables.
constexpr u8 kUnifiedFunction = elf::kOtherManaged;
constexpr u8 kUnifiedVariable = elf::kOtherKernel;
constexpr u8 kFunctionOther = elf::kOtherVisibilityMask | elf::kOtherKernel | kUnifiedFunction;
constexpr u8 kDataOther = elf::kOtherVisibilityMask | elf::kOtherManaged | elf::kOtherGlobal |
                          elf::kOtherShared | elf::kOtherConstant;

// The allowed bits of st_other, by symbol type.
constexpr std::array<u8, 16> kLegalOther = [] {
  std::array<u8, 16> out;
  out.fill(kDataOther);
  out[static_cast<u8>(SymbolType::Function)] = kFunctionOther;
  out[static_cast<u8>(SymbolType::Object)] = kDataOther | kUnifiedVariable;
  out[static_cast<u8>(SymbolType::CudaObject)] = kDataOther | kUnifiedVariable;
  return out;
}();

[[nodiscard]] std::string symbol_field(std::string_view field, u32 index, std::string_view name) {
  return name.empty() ? fmt::format("{} of symbol {}", field, index)
                      : fmt::format("{} of symbol {} '{}'", field, index, name);
}

[[nodiscard]] bool holds_code(const Section &s) {
  return (s.flags & elf::kFlagExec) != 0 || s.type == SectionType::CudaCapmerc;
}

// True for shared memory. There st_value is the variable's alignment until the executable link, and
// dynamic shared memory begins where static memory ends.
[[nodiscard]] bool holds_shared_memory(const Section &s) {
  return s.type == SectionType::CudaShared || s.type == SectionType::CudaReservedShared ||
         (s.type == SectionType::Nobits && s.name.find("shared") != std::string_view::npos);
}

[[nodiscard]] bool is_constant(const Section &s) {
  return elf::classify_section(s.name, s.type, s.flags).is_constant();
}

// True for older toolkits, in whose files local symbols may follow global ones.
[[nodiscard]] bool is_before_toolkit_13(const elf::ElfView &view) {
  return has_old_abi(view) || view.find(kCuverName);
}

class TableCheck {
public:
  TableCheck(const ElfView &view, const Section &table, Findings &findings)
      : view_(view), table_(table), symbols_(view.symbols(table)),
        names_(as_text(terminated_strings(view.sections()[table.link].data))), findings_(findings) {
    for (u32 info = 0; info < known_.size(); ++info) {
      const Symbol symbol{.info = static_cast<u8>(info)};
      known_[info] = elf::kSymbolBindingNames.name_of(symbol.binding()) &&
                     elf::kSymbolTypeNames.name_of(symbol.type());
    }
  }

  void run(u32 begin, u32 end) {
    if (begin == 0 && end != 0)
      check_null(symbols_[0]);
    for (u32 i = std::max(begin, 1u); i < end; ++i)
      if (!is_right(i, symbols_.without_name(i))) [[unlikely]]
        report_wrong(i);
  }

private:
  template <typename MakeMessage>
  void report(Rule rule, std::string_view field, u32 index, MakeMessage make) {
    findings_.in_section(rule, table_, [&] {
      return FieldMessage{symbol_field(field, index, symbols_[index].name), make()};
    });
  }

  void check_null(const Symbol &symbol) {
    if (symbol.info != 0 || symbol.other != 0 || symbol.raw_section != 0 || symbol.value != 0 ||
        symbol.size != 0 || !symbol.name.empty())
      report(Rule::SymbolNull, "fields", 0, [] { return std::string("are not all 0"); });
  }

  // Functions marked noinline take an index instead of a reference, so that the compiler can keep
  // symbols in registers.

  // True if the binding and type exist.
  [[nodiscard]] bool is_known(const Symbol &symbol) const { return known_[symbol.info]; }
  [[nodiscard]] bool is_misplaced(u32 index, const Symbol &symbol) const {
    return symbol.binding() == SymbolBinding::Local && index >= table_.info &&
           !may_follow_globals(index);
  }
  // ptxas 13.4 writes its one unnamed local symbol at any place.
  [[gnu::noinline]] [[nodiscard]] bool may_follow_globals(u32 index) const {
    const Symbol symbol = symbols_[index];
    return (symbol.type() == SymbolType::NoType && symbol.name.empty()) ||
           is_before_toolkit_13(view_);
  }
  [[nodiscard]] static bool has_legal_other(const Symbol &symbol) {
    return (symbol.other & ~kLegalOther[static_cast<u8>(symbol.type())]) == 0;
  }
  [[nodiscard]] static bool is_misplaced_function(const Symbol &symbol, const Section &section) {
    return symbol.type() == SymbolType::Function && !holds_code(section);
  }
  [[nodiscard]] bool is_in_bounds(u32 index, const Symbol &symbol, const Section &section) const {
    return (symbol.value <= section.size && symbol.size <= section.size - symbol.value) ||
           may_lie_outside(index, section);
  }
  [[nodiscard]] static bool is_empty(const Symbol &symbol) {
    return (symbol.value | symbol.size) == 0;
  }
  // In the Mercury table, section symbols have names for the Mercury link, which may differ from
  // the names in the section headers.
  [[nodiscard]] bool has_section_name(const Symbol &symbol, const Section &section) const {
    return is_named(symbol, section.name) || table_.is_mercury();
  }

  // True if a symbol follows all rules, as nearly all do.
  [[nodiscard]] bool is_right(u32 index, const Symbol &symbol) const {
    if (!is_known(symbol) || is_misplaced(index, symbol) || !has_legal_other(symbol))
      return false;
    if (!symbol.in_section())
      return true;
    const Section &section = view_.sections()[symbol.section];
    if (symbol.type() == SymbolType::Section)
      return symbol.binding() == SymbolBinding::Local && is_empty(symbol) &&
             has_section_name(symbol, section);
    return !is_misplaced_function(symbol, section) && is_in_bounds(index, symbol, section);
  }

  [[gnu::noinline]] void report_wrong(u32 index) {
    const Symbol symbol = symbols_.without_name(index);
    if (!is_known(symbol))
      report(Rule::SymbolKind, "st_info", index,
             [&] { return fmt::format("{:#04x} is not a valid binding and type", symbol.info); });
    if (is_misplaced(index, symbol))
      report(Rule::SymbolOrder, "st_info", index,
             [&] { return fmt::format("is local, but sh_info is {}", table_.info); });
    if (!has_legal_other(symbol))
      report(Rule::SymbolOther, "st_other", index, [&] {
        return fmt::format("{:#04x} has bits without a meaning for its type", symbol.other);
      });
    if (!symbol.in_section())
      return;
    const Section &section = view_.sections()[symbol.section];
    if (symbol.type() == SymbolType::Section) {
      report_section_symbol(index, symbol, section);
      return;
    }
    if (is_misplaced_function(symbol, section))
      report(Rule::SymbolFunction, "st_shndx", index, [&] {
        return fmt::format("is a function in {}, which is not code", describe_section(section));
      });
    if (!is_in_bounds(index, symbol, section))
      report(Rule::SymbolValue, "st_value, st_size", index, [&] {
        return fmt::format("bytes {:#x} + {:#x} lie outside {} ({:#x} bytes)", symbol.value,
                           symbol.size, describe_section(section), section.size);
      });
  }

  [[gnu::noinline]] [[nodiscard]] bool may_lie_outside(u32 index, const Section &section) const {
    const Symbol symbol = symbols_.without_name(index);
    if (holds_shared_memory(section) || section.type == SectionType::CudaCapmerc)
      return true;
    // nvlink drops constants that host code does not use, but not the symbols after them; -r drops
    // the compiler constants of overridden definitions of a function (Q040).
    if (!is_constant(section))
      return false;
    return view_.header().type == elf::FileType::Executable
               ? symbol.value <= section.size
               : section.info != 0 && symbol.binding() == SymbolBinding::Local;
  }

  void report_section_symbol(u32 index, const Symbol &symbol, const Section &section) {
    const auto wrong = [&](std::string_view field, std::string_view message) {
      report(Rule::SymbolSection, field, index, [&] { return std::string(message); });
    };
    if (symbol.binding() != SymbolBinding::Local)
      wrong("st_info", "a section symbol is not local");
    if (!is_empty(symbol))
      wrong("st_value, st_size", "of a section symbol are not 0");
    if (!has_section_name(symbol, section))
      wrong("st_name", fmt::format("is not the name of {}", describe_section(section)));
  }

  // Compares without a search for the end of the symbol's name.
  [[nodiscard]] bool is_named(const Symbol &symbol, std::string_view name) const {
    if (symbol.name_offset >= names_.size())
      return name.empty();
    const std::string_view rest = names_.substr(symbol.name_offset);
    return rest.size() > name.size() && rest.starts_with(name) && rest[name.size()] == '\0';
  }

  const ElfView &view_;
  const Section &table_;
  const SymbolTable symbols_;
  const std::string_view names_;
  Findings &findings_;
  std::array<bool, 256> known_{}; // by st_info
};

} // namespace

void check_symbols(const ElfView &view, const Section &table, u32 begin, u32 end,
                   Findings &findings) {
  TableCheck(view, table, findings).run(begin, end);
}

// Relocations: a known type of the table's own list, a field that ends inside the section, and in
// code the address of an instruction. The view has checked symbols and offsets. Offsets in Mercury
// code refer to the expanded code, which the file does not contain, so they are not checked.

using elf::Relocation;

namespace {

// True for a table whose entries can be decoded; others already have findings.
[[nodiscard]] bool is_readable(const ElfView &view, const Section &table) {
  return elf::is_relocation_table(table.type) && table.info != 0 &&
         table.info < view.sections().size();
}

void check_place(const Section &table, const Section &target, const arch::RelocInfo &row,
                 const Relocation &r, u32 index, Findings &findings) {
  const u64 field = row.field_bytes;
  // The view refuses an offset outside the section.
  if (r.offset < target.size && field > target.size - r.offset)
    findings.in_section(Rule::RelocationOffset, table, [&] {
      return FieldMessage{fmt::format("r_offset of entry {}", index),
                          fmt::format("{} writes {} bytes at {:#x} of {}, which has {:#x}",
                                      row.name, field, r.offset, describe_section(target),
                                      target.size)};
    });
  if ((target.flags & elf::kFlagExec) != 0 && r.offset % kInstructionSize != 0)
    findings.in_section(Rule::RelocationAlign, table, fmt::format("r_offset of entry {}", index),
                        fmt::format("{:#x} is not the start of an instruction", r.offset));
}

} // namespace

void check_relocations(const ElfView &view, const Section &table, Findings &findings) {
  if (!is_readable(view, table))
    return;
  const Section &target = view.sections()[table.info];
  const bool mercury = table.is_mercury();
  const elf::RelocationTable entries = view.relocations(table);
  for (u32 i = 0; i < entries.size(); ++i) {
    const Relocation r = entries[i];
    const arch::RelocInfo *row = arch::find_reloc(r.type);
    // nvlink writes empty entries if a texture reference does not need a relocation.
    if (r.type == 0 && r.symbol == 0)
      continue;
    if (!row || (r.type >= arch::kFirstMercuryReloc) != mercury)
      findings.in_section(
          Rule::RelocationType, table, fmt::format("r_info of entry {}", i),
          fmt::format("type {:#x} is {}", r.type, row ? "of the other list" : "not known"));
    else if (!mercury)
      check_place(table, target, *row, r, i, findings);
  }
}

} // namespace culink::verify
