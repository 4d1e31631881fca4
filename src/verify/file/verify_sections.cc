// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The section table: each header must agree with its name, by the table of elf/header_rules.h.
// Kinds without a rule are not checked, so that a file with sections of another vendor passes.
//
// The Mercury mirror follows the same rules within its own plane: links refer to the Mercury symbol
// table, section-valued infos to Mercury sections.
#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>

#include "elf/header_rules.h"
#include "elf/names.h"
#include "support/bytes.h"
#include "verify/file/verify_findings.h"

namespace culink::verify {

using elf::ElfView;
using elf::HeaderInfo;
using elf::HeaderLink;
using elf::HeaderRule;
using elf::Section;
using elf::SectionKind;
using elf::SectionRole;
using elf::SectionType;

namespace {

constexpr u64 kOldBarriers =
    0x7f00000; // number of barriers, in flags of code from toolkits before 13

[[nodiscard]] SectionKind kind_of(const Section &s) {
  return elf::classify_section(s.name, s.type, s.flags);
}

[[nodiscard]] std::string type_text(SectionType type) {
  const auto name = elf::kSectionTypeNames.name_of(type);
  return name ? std::string(*name) : fmt::format("{:#x}", static_cast<u32>(type));
}

// The stub of a unified function F, __cuda_uf_stub_F, has its code in .nv.uft.rel.F: one slot of
// the table of unified functions.
constexpr std::string_view kUnifiedStub = "__cuda_uf_stub_";
constexpr std::string_view kUnifiedSlot = ".nv.uft.rel.";
constexpr std::string_view kMercuryUnifiedSlot = ".nv.capmerc.nv.uft.rel.";
constexpr u32 kUnifiedSlotSize = 128;

[[nodiscard]] bool is_code_of(const Section &code, std::string_view owner, bool mercury) {
  const SectionKind kind = kind_of(code);
  if (kind.role == (mercury ? SectionRole::CapmercText : SectionRole::Text) && kind.owner == owner)
    return true;
  const std::string_view slot = mercury ? kMercuryUnifiedSlot : kUnifiedSlot;
  return owner.starts_with(kUnifiedStub) && code.name.starts_with(slot) &&
         code.name.substr(slot.size()) == owner.substr(kUnifiedStub.size());
}

// Names that must not repeat: a lookup by name returns the first section.
constexpr std::array<std::string_view, 12> kUnique{
    ".shstrtab",       ".strtab",         ".symtab",        ".symtab_shndx",
    ".nv.info",        ".nv.callgraph",   ".nv.prototype",  ".nv.compat",
    ".note.nv.tkinfo", ".note.nv.cuinfo", ".nv.rel.action", ".nv.merc.symtab"};

constexpr size_t kLongestUnique = std::ranges::max(kUnique, {}, &std::string_view::size).size();

constexpr std::array<std::string_view, 5> kRequired{".shstrtab", ".strtab", ".symtab",
                                                    ".note.nv.tkinfo", ".note.nv.cuinfo"};
constexpr u32 kRequiredBefore13 = 3; // older toolkits write other notes
constexpr u32 kCuinfo = 4;           // index of a name that may be kCuverName

// Targets before sm_90 keep the function's register count in the top byte of sh_info.
constexpr u32 kSymbolMask = 0xffffff;

[[nodiscard]] bool is_function_in(const elf::SymbolTable &symbols, u32 index, const Section &code) {
  const elf::Symbol symbol = symbols.without_name(index);
  return symbol.type() == elf::SymbolType::Function && symbol.section == code.index;
}

class SectionCheck {
public:
  SectionCheck(const ElfView &view, const Section &section, Findings &findings)
      : view_(view), s_(section), kind_(kind_of(section)), findings_(findings) {
    // Uses the name, so that a wrong flag is one finding and not one for every link.
    kind_.mercury = s_.name.starts_with(".nv.merc.") || s_.name.starts_with(".nv.capmerc.");
  }

  void run() {
    check_name();
    const HeaderRule *row = elf::find_header_rule(kind_.role);
    if (!row || !row->known)
      return;
    check_flags(*row);
    check_shape(*row);
    check_link(*row);
    check_info(*row);
  }

private:
  void report(Rule rule, std::string field, std::string message) {
    findings_.in_section(rule, s_, std::move(field), std::move(message));
  }
  [[nodiscard]] const Section &section(u32 index) const { return view_.sections()[index]; }

  // A section with a known name must have been classified by it; if the type does not fit the name,
  // classification used the type.
  void check_name() {
    std::string_view name = s_.name;
    if (name.starts_with(".nv.merc."))
      name.remove_prefix(8);
    if (name.starts_with(".rel")) { // relocations, which have no rule
      const bool table = kind_.role == SectionRole::Rel || kind_.role == SectionRole::Rela;
      if (!table && (name.starts_with(".rel.") || name.starts_with(".rela.")))
        report(Rule::SectionType, "sh_type",
               fmt::format("{} does not go with this name", type_text(s_.type)));
      return;
    }
    for (const elf::SectionNameRule &rule : elf::section_name_rules()) {
      if (!has_prefix(name, rule.name))
        continue;
      const std::string_view rest = name.substr(rule.name.size());
      const bool named = rule.match == elf::NameMatch::Prefix || rest.starts_with('.') ||
                         (rule.match == elf::NameMatch::Numbered
                              ? !rest.empty() && rest[0] >= '0' && rest[0] <= '9'
                              : rest.empty());
      const bool owned = rule.match != elf::NameMatch::Exact || rest.empty();
      if (!named || !owned)
        continue;
      if (kind_.role != rule.role && name != kCuverName) // an older .note.nv.cuinfo
        report(Rule::SectionType, "sh_type",
               fmt::format("{} does not go with this name", type_text(s_.type)));
      return;
    }
  }

  void check_flags(const HeaderRule &row) {
    // SHF_INFO_LINK means that sh_info is a section; image-slot relocations lack it.
    u64 plain = s_.flags & ~(elf::kFlagMercury | elf::kFlagInfoLink);
    if (row.role == SectionRole::Text)
      plain &= ~kOldBarriers;
    if (plain != row.flags)
      report(Rule::SectionFlags, "sh_flags",
             fmt::format("{:#x}, expected {:#x}", plain, row.flags));
    const bool info_link = (s_.flags & elf::kFlagInfoLink) != 0;
    const bool refers = row.info == HeaderInfo::OwnerText || row.info == HeaderInfo::CompatOrNot;
    // Toolkits before 12.4 omit the flag, and nvlink copies it from their constants.
    const bool may_lack = has_old_abi(view_) || row.role == SectionRole::Constant;
    if (!(may_lack && !info_link) &&
        (refers ? info_link != (s_.info != 0) : info_link && row.info != HeaderInfo::Target))
      report(Rule::SectionFlags, "sh_flags",
             fmt::format("SHF_INFO_LINK is {}, sh_info is {}", info_link ? "set" : "not set",
                         s_.info));
    if (kind_.mercury != s_.is_mercury())
      report(Rule::SectionFlags, "sh_flags",
             fmt::format("the Mercury flag is {}", s_.is_mercury() ? "set" : "not set"));
  }

  void check_shape(const HeaderRule &row) {
    // The view has checked the entry sizes of tables against the file's class.
    const bool is_table = elf::is_symbol_table(s_.type) || elf::is_relocation_table(s_.type);
    const u32 entsize = s_.name.starts_with(kMercuryUnifiedSlot) ? kUnifiedSlotSize : row.entsize;
    if (!is_table && s_.entsize != entsize)
      report(Rule::SectionEntry, "sh_entsize", fmt::format("is {}, not {}", s_.entsize, entsize));
    if (row.entsize != 0 && !is_table && s_.size % row.entsize != 0)
      report(Rule::SectionEntry, "sh_size",
             fmt::format("{:#x} is not a multiple of {}", s_.size, row.entsize));
    if (s_.align < row.least)
      report(Rule::SectionAlign, "sh_addralign",
             fmt::format("is {}, less than {}", s_.align, row.least));
  }

  void check_link(const HeaderRule &row) {
    const Section &link = section(s_.link);
    bool right = false;
    std::string_view wanted;
    switch (row.link) {
    case HeaderLink::Nothing:
      right = s_.link == 0;
      wanted = "nothing (0)";
      break;
    case HeaderLink::Strings:
      right = link.type == SectionType::Strtab;
      wanted = "a string table";
      break;
    case HeaderLink::Symbols:
      right = link.type == (kind_.mercury ? SectionType::MercurySymtab : SectionType::Symtab);
      wanted = kind_.mercury ? "the Mercury symbol table" : "the symbol table";
      break;
    case HeaderLink::TkinfoNote:
      right = kind_of(link).role == SectionRole::NoteTkinfo;
      wanted = ".note.nv.tkinfo";
      break;
    }
    if (!right)
      report(Rule::SectionLink, "sh_link",
             fmt::format("{} is not {}", describe_section(link), wanted));
  }

  void check_info(const HeaderRule &row) {
    switch (row.info) {
    case HeaderInfo::Nothing:
      if (s_.info != 0)
        report(Rule::SectionInfo, "sh_info", fmt::format("is {}, not 0", s_.info));
      return;
    case HeaderInfo::FirstGlobal:
      return;
    case HeaderInfo::Function:
      check_function();
      return;
    case HeaderInfo::OwnerText:
      check_owner();
      return;
    case HeaderInfo::Target:
      check_target();
      return;
    case HeaderInfo::CompatOrNot:
      if (s_.info != 0 &&
          (s_.info >= view_.sections().size() || section(s_.info).name != ".nv.compat"))
        report(Rule::SectionInfo, "sh_info", fmt::format("{} is not .nv.compat", s_.info));
      return;
    }
  }

  void check_owner() {
    if (kind_.owner.empty()) {
      if (s_.info != 0)
        report(Rule::SectionInfo, "sh_info", fmt::format("is {}, not 0", s_.info));
      return;
    }
    if (s_.info == 0 || s_.info >= view_.sections().size()) {
      report(Rule::SectionInfo, "sh_info", fmt::format("{} is not the function's code", s_.info));
      return;
    }
    if (!is_code_of(section(s_.info), kind_.owner, kind_.mercury))
      report(Rule::SectionInfo, "sh_info",
             fmt::format("{} is not the code of '{}'", describe_section(section(s_.info)),
                         kind_.owner));
  }

  void check_target() {
    const Section &target = section(s_.info);
    if (s_.info == 0 || target.type == SectionType::Null)
      report(Rule::SectionInfo, "sh_info", "names no section to relocate");
    else if (target.is_mercury() != kind_.mercury)
      report(Rule::SectionInfo, "sh_info",
             fmt::format("{} is not in the same plane", describe_section(target)));
    // In the Mercury mirror and after its link, a bank and its relocations have different names.
    else if (!kind_.mercury && !s_.name.ends_with(target.name) && !kind_of(target).is_constant())
      report(Rule::SectionInfo, "sh_info",
             fmt::format("{} is not the section in the name", describe_section(target)));
  }

  void check_function() {
    if (kind_.role == SectionRole::Text && s_.size % 16 != 0)
      report(Rule::TextSize, "sh_size", fmt::format("{:#x} is not a multiple of 16", s_.size));
    const elf::SymbolTable symbols = view_.linked_symbols(s_);
    const u32 index = s_.info & kSymbolMask;
    if (index >= symbols.size()) {
      report(Rule::TextSymbol, "sh_info",
             fmt::format("{} is not a symbol (there are {})", index, symbols.size()));
      return;
    }
    if (!is_function_in(symbols, index, s_))
      report(Rule::TextSymbol, "sh_info",
             fmt::format("symbol {} '{}' is not a function in this section", index,
                         symbols[index].name));
  }

  const ElfView &view_;
  const Section &s_;
  SectionKind kind_;
  Findings &findings_;
};

} // namespace

void check_names(const ElfView &view, Findings &findings) {
  std::array<u32, kUnique.size()> count{};
  for (const Section &s : view.sections())
    for (u32 i = 0; i < kUnique.size() && s.name.size() <= kLongestUnique; ++i)
      if (s.name == kUnique[i] && ++count[i] > 1)
        findings.in_section(Rule::SectionUnique, s, "sh_name", "this name appears before");
  const bool old = has_old_abi(view);
  for (u32 i = 0; i < (old ? kRequiredBefore13 : kRequired.size()); ++i)
    if (!view.find(kRequired[i]) && !(i == kCuinfo && view.find(kCuverName)))
      findings.push(Rule::SectionMissing, "section table", "",
                    fmt::format("there is no {}", kRequired[i]));
}

void check_section(const ElfView &view, const Section &s, Findings &findings) {
  if (s.index != 0) {
    SectionCheck(view, s, findings).run();
    return;
  }
  const u64 size = view.header().shnum == 0 ? view.header().section_count : 0;
  if (s.type != SectionType::Null || s.name_offset != 0 || s.flags != 0 || s.offset != 0 ||
      s.size != size || s.info != 0)
    findings.in_section(Rule::SectionNull, s, "fields", "are not all 0");
}

} // namespace culink::verify
