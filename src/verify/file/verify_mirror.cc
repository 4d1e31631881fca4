// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Files for sm_100 and later contain a program twice: machine code, and the Mercury code that it
// was made from, with a counterpart for each section, symbol and relocation. The rules here check
// that the two forms agree.
//
// What may surprise: names of constant banks differ, because Mercury does not know their numbers
// yet. Bank 0 and memory without contents do not have a counterpart. Tables may be shorter in
// machine code, never absent. On sm_107 machine code calls functions of the driver where Mercury
// code has instructions for textures and surfaces: it then has more symbols, relocations and calls,
// and needs more registers and stack. The frame of a function in Mercury code is 0 in files of
// nvlink 12.8 and 12.9, and in files of ptxas for functions inside the code of another function.
#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "elf/names.h"
#include "elf/records/nv_capmerc.h"
#include "elf/records/nv_info.h"
#include "elf/section_kind.h"
#include "elf/target/arch.h"
#include "elf/target/driver_functions.h"
#include "elf/target/elf_flags.h"
#include "support/bytes.h"
#include "verify/file/verify_findings.h"

namespace culink::verify {

namespace {

using elf::ElfView;
using elf::Section;
using elf::SectionRole;
using elf::SectionType;
using elf::Symbol;

// The bank that contains a function's parameters.
constexpr std::string_view kParameterBank = ".nv.constant0.";

bool is_code(const Section &section) {
  return (section.flags & elf::kFlagExec) != 0;
}

// True if the name is the name of a Mercury section; another rule compares the flag.
bool is_mirror(const Section &section) {
  return has_prefix(section.name, ".nv.merc.") || has_prefix(section.name, ".nv.capmerc.");
}

enum class Counterpart : u8 { None, Possible, Needed };

Counterpart counterpart_of_role(const Section &section) {
  switch (elf::classify_section(section.name, section.type, section.flags).role) {
  case SectionRole::Text:
  case SectionRole::SymbolTable:
  case SectionRole::Info:
  case SectionRole::GlobalInit:
  case SectionRole::Dwarf:
  case SectionRole::NvDebug:
  case SectionRole::Rela:
    return Counterpart::Needed;
  case SectionRole::Constant: // bank 0 has one only in files with textures
    return section.name.starts_with(kParameterBank) ? Counterpart::Possible : Counterpart::Needed;
  case SectionRole::StringTable:
  case SectionRole::Null:
  case SectionRole::NoteTkinfo:
  case SectionRole::NoteCuinfo:
  case SectionRole::Compat:
    return Counterpart::None;
  default: // the call graph has one since 13.4
    return Counterpart::Possible;
  }
}

// True if the counterpart of a section has the same bytes, shared or repeated.
bool has_equal_bytes(const Section &section) {
  constexpr std::string_view kNames[] = {".nv.constant3",   ".nv.constant4",   ".nv.global.init",
                                         ".debug_abbrev",   ".debug_str",      ".debug_loc",
                                         ".debug_pubnames", ".debug_pubtypes", ".nv.info",
                                         ".nv.callgraph",   ".nv.prototype"};
  return std::find(std::begin(kNames), std::end(kNames), section.name) != std::end(kNames) ||
         section.name.starts_with(".nv_debug_ptx_txt.");
}

// True for sections with calls, registers or stack, which change with calls of the driver.
bool tells_resources(const Section &section) {
  return section.name == ".nv.info" || section.name == ".nv.callgraph";
}

class MirrorCheck {
public:
  MirrorCheck(const ElfView &view, bool may_call_driver, Findings &findings)
      : view_(view), may_call_driver_(may_call_driver), findings_(findings) {
    for (const Section &section : view.sections())
      if (is_mirror(section))
        mirrors_.push_back({section.name, section.index, false});
    std::stable_sort(mirrors_.begin(), mirrors_.end(),
                     [](const Mirror &a, const Mirror &b) { return a.name < b.name; });
    counterparts_.resize(view.sections().size());
    const Section *mirror = view.find(".nv.merc.symtab");
    shared_symbols_ = mirror ? view.symbols(*mirror).size() : 0;
    calls_driver_ = calls_driver();
    other_resources_ = calls_driver_ || view.find(kCuverName);
  }

  void run() {
    for (const Section &section : view_.sections())
      if (!is_mirror(section))
        find_counterpart(section);
    for (const Mirror &mirror : mirrors_)
      if (!mirror.used)
        findings_.in_section(Rule::MirrorSection, view_.sections()[mirror.section], [&] {
          return FieldMessage{"", "mirrors no section of the machine code"};
        });
    compare_symbols();
  }

private:
  struct Mirror {
    std::string_view name;
    u32 section;
    bool used;
  };

  // True for a function that is not in Mercury code.
  [[nodiscard]] bool is_image_function(u32 index, const Symbol &symbol) const {
    return may_call_driver_ && index >= shared_symbols_ && symbol.undefined() &&
           symbol.type() == elf::SymbolType::Function && arch::is_driver_function(symbol.name);
  }

  [[nodiscard]] bool calls_driver() const {
    const elf::SymbolTable symbols = view_.symbols();
    for (u32 i = shared_symbols_; i < symbols.size(); ++i)
      if (is_image_function(i, symbols[i]))
        return true;
    return false;
  }

  // True if all entries of a relocation table are against such functions.
  [[nodiscard]] bool is_of_driver_calls(const Section &table) const {
    if (!calls_driver_ || table.type != SectionType::Rela)
      return false;
    const elf::SymbolTable symbols = view_.symbols();
    const elf::RelocationTable entries = view_.relocations(table);
    for (u32 i = 0; i < entries.size(); ++i)
      if (const u32 symbol = entries[i].symbol;
          symbol >= symbols.size() || !is_image_function(symbol, symbols[symbol]))
        return false;
    return true;
  }

  void find_counterpart(const Section &section) {
    const Counterpart expected = counterpart_of_role(section);
    if (expected == Counterpart::None)
      return;
    const std::string name = elf::mercury_counterpart_name(section.name);
    auto at = std::lower_bound(
        mirrors_.begin(), mirrors_.end(), std::string_view(name),
        [](const Mirror &mirror, std::string_view wanted) { return mirror.name < wanted; });
    while (at != mirrors_.end() && at->name == name && at->used) // local functions may share a name
      ++at;
    if (at == mirrors_.end() || at->name != name) {
      if (expected == Counterpart::Needed && !section.no_data() && !is_of_driver_calls(section))
        findings_.in_section(Rule::MirrorSection, section, "",
                             "has no Mercury counterpart '" + name + "'");
      return;
    }
    at->used = true;
    counterparts_[section.index] = at->section;
    compare_contents(section, view_.sections()[at->section]);
  }

  void compare_contents(const Section &section, const Section &mirror) {
    if (mirror.type == SectionType::CudaCapmerc)
      compare_capsule(section, mirror);
    else if (has_equal_bytes(section) && !(other_resources_ && tells_resources(section)) &&
             !std::ranges::equal(section.data, mirror.data) &&
             !(section.name == ".nv.info" && differ_in_inner_frames(section.data, mirror.data)))
      findings_.in_section(Rule::MirrorBytes, mirror, "",
                           "its bytes are not those of " + elf::describe_section(section));
  }

  // True if the only differences are frames of functions inside the code of others.
  [[nodiscard]] bool differ_in_inner_frames(ByteSpan sass, ByteSpan mercury) const {
    elf::RecordReader<elf::InfoAttribute> reader(sass), mirrored(mercury);
    while (reader.next() && mirrored.next())
      if (!(reader.record() == mirrored.record()) &&
          !is_inner_frame(reader.record(), mirrored.record()))
        return false;
    return std::ranges::equal(reader.rest(), mirrored.rest());
  }

  [[nodiscard]] bool is_inner_frame(const elf::InfoRecord &record,
                                    const elf::InfoRecord &mirrored) const {
    for (const elf::InfoRecord *side : {&record, &mirrored})
      if (side->attribute != elf::InfoAttribute::FrameSize || side->payload.size() != 8)
        return false;
    const u32 index = load_le<u32>(record.payload.data());
    const elf::SymbolTable symbols = view_.symbols();
    if (index >= symbols.size() || load_le<u32>(mirrored.payload.data()) != index ||
        load_le<u32>(&mirrored.payload[4]) != 0)
      return false;
    const Symbol function = symbols[index];
    return function.section < view_.sections().size() &&
           is_code(view_.sections()[function.section]) &&
           view_.sections()[function.section].name != ".text." + std::string(function.name);
  }

  // The capsule must account for every instruction of the code.
  void compare_capsule(const Section &code, const Section &section) {
    const elf::Capsule capsule = elf::decode_capsule(section.data);
    if (!capsule.violations.empty() && view_.find(kCuverName))
      return; // capsules of toolkit 12.8 have another form
    if (!capsule.violations.empty()) {
      const elf::Violation &first = capsule.violations.front();
      findings_.in_section(Rule::CapsuleFraming, section, fmt::format("byte {:#x}", first.offset),
                           first.message);
      return;
    }
    if (capsule.text_section != code.index)
      findings_.in_section(Rule::CapsuleText, section, "byte 0x0",
                           fmt::format("names section {}, not {}", capsule.text_section,
                                       elf::describe_section(code)));
    if (capsule.machine_count * kInstructionSize != code.size)
      findings_.in_section(Rule::CapsuleSize, section, "",
                           fmt::format("speaks of {} instructions, {} has {}",
                                       capsule.machine_count, elf::describe_section(code),
                                       code.size / kInstructionSize));
  }

  // The mirror has the same symbols in the same order. Symbols of bank 0 follow in machine code
  // only.
  void compare_symbols() {
    const Section *table = view_.find(".symtab");
    const Section *mirror = view_.find(".nv.merc.symtab");
    if (!table || !mirror)
      return;
    const elf::SymbolTable symbols = view_.symbols(*table), mirrored = view_.symbols(*mirror);
    const u32 common = std::min(symbols.size(), mirrored.size());
    for (u32 i = 1; i < common; ++i)
      compare_symbol(*mirror, i, symbols[i], mirrored[i]);
    if (mirrored.size() > symbols.size())
      findings_.in_section(
          Rule::MirrorSymbol, *mirror, "",
          fmt::format("has {} symbols, .symtab only {}", mirrored.size(), symbols.size()));
    for (u32 i = common; i < symbols.size(); ++i)
      if (const Symbol symbol = symbols[i];
          symbol.type() != elf::SymbolType::Section && !is_image_function(i, symbol))
        findings_.in_section(Rule::MirrorSymbol, *table, [&] {
          return FieldMessage{fmt::format("symbol {}", i),
                              fmt::format("'{}' is not in .nv.merc.symtab", symbol.name)};
        });
  }

  void compare_symbol(const Section &table, u32 i, const Symbol &symbol, const Symbol &mirrored) {
    const bool section = symbol.type() == elf::SymbolType::Section;
    const std::string name =
        section ? elf::mercury_link_name(symbol.name) : std::string(symbol.name);
    u32 place = symbol.section;
    if (symbol.in_section() && place < counterparts_.size() && counterparts_[place])
      place = *counterparts_[place];
    if (name == mirrored.name && symbol.binding() == mirrored.binding() &&
        place == mirrored.section)
      return;
    findings_.in_section(Rule::MirrorSymbol, table, [&] {
      return FieldMessage{
          fmt::format("symbol {}", i),
          fmt::format("'{}' in section {} is not the counterpart of '{}' in section {}",
                      mirrored.name, mirrored.section, symbol.name, symbol.section)};
    });
  }

  const ElfView &view_;
  const bool may_call_driver_; // compilers for the target insert such calls
  Findings &findings_;
  u32 shared_symbols_ = 0;
  bool calls_driver_ = false;
  bool other_resources_ = false;
  std::vector<Mirror> mirrors_;                  // by name
  std::vector<std::optional<u32>> counterparts_; // by index of a machine code section
};

bool may_call_driver(const arch::ElfTarget &target) {
  const arch::ArchInfo *info = arch::find_arch(target.sm);
  return info && info->calls_driver_for_images;
}

} // namespace

void check_mirror(const ElfView &view, Findings &findings) {
  const elf::FileHeader &header = view.header();
  const arch::ElfTarget target = arch::decode_elf_target(header);
  if (target.code_kind == static_cast<u8>(arch::CodeKind::Capmerc))
    MirrorCheck(view, may_call_driver(target), findings).run();
}

} // namespace culink::verify
