// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The contents of the record sections: .nv.info, .nv.callgraph, .nv.prototype, .nv.compat, the
// notes and .nv.rel.action. The codecs read them and list errors of the framing; this file checks
// their symbols and strings, which needs the whole file.
#include <fmt/format.h>

#include "elf/names.h"
#include "elf/records/nv_callgraph.h"
#include "elf/records/nv_compat.h"
#include "elf/records/nv_info.h"
#include "elf/records/nv_notes.h"
#include "elf/records/nv_rel_action.h"
#include "elf/section_kind.h"
#include "elf/target/reloc.h"
#include "support/bytes.h"
#include "verify/file/verify_findings.h"

namespace culink::verify {

using elf::ElfView;
using elf::Section;
using elf::SectionRole;
using elf::SectionType;
using elf::SymbolTable;
using elf::SymbolType;

namespace {

[[nodiscard]] SectionRole role_of(const Section &s) {
  return elf::classify_section(s.name, s.type, s.flags).role;
}

void report_at(Rule rule, const Section &section, u64 offset, std::string message,
               Findings &findings) {
  findings.in_section(rule, section, fmt::format("record at {:#x}", offset), std::move(message));
}

void report_all(Rule rule, const Section &section, const std::vector<elf::Violation> &violations,
                Findings &findings) {
  for (const elf::Violation &violation : violations)
    report_at(rule, section, violation.offset, violation.message, findings);
}

[[nodiscard]] std::string attribute_text(elf::InfoAttribute attribute) {
  const u32 code = static_cast<u32>(attribute);
  const auto name = elf::kInfoAttributeNames.name_of(code);
  return name ? std::string(*name) : fmt::format("attribute {:#04x}", code);
}

[[nodiscard]] constexpr u16 bit_of(SymbolType type) {
  return static_cast<u16>(1u << static_cast<u8>(type));
}

// The types of symbols that records may refer to, a bit for each. PARAM_CBANK refers to the section
// symbol of a constant bank; records about the stack and registers to functions; records about
// images to any symbol except those of sections.
[[nodiscard]] constexpr u16 symbol_types_of(elf::InfoAttribute attribute) {
  using enum elf::InfoAttribute;
  switch (attribute) {
  case ParamCbank:
    return bit_of(SymbolType::Section);
  case FrameSize:
  case MinStackSize:
  case MaxStackSize:
  case Regcount:
  case Externs:
    return bit_of(SymbolType::Function);
  default:
    return static_cast<u16>(~bit_of(SymbolType::Section));
  }
}

[[nodiscard]] bool is_one_of(u16 symbol_types, u32 index, const SymbolTable &symbols) {
  return index < symbols.size() &&
         (symbol_types & bit_of(symbols.without_name(index).type())) != 0; // inline
}

[[nodiscard]] bool is_instruction(const Section &code, u32 offset) {
  return offset < code.size && offset % kInstructionSize == 0;
}

// Checks the records of one section.
class InfoCheck {
public:
  InfoCheck(const ElfView &view, const Section &section, Findings &findings)
      : s_(section), symbols_(view.linked_symbols(section)), code_(view.info_section(section)),
        findings_(findings) {
    if (code_ && (code_->flags & elf::kFlagExec) == 0)
      code_ = nullptr;
  }

  void run(u64 begin, u64 end) {
    elf::RecordReader<elf::InfoAttribute> reader(s_.data.first(end), begin);
    while (reader.next())
      check(reader.record());
    if (!reader.rest().empty())
      report_all(Rule::InfoFraming, s_, {reader.problem()}, findings_);
  }

private:
  void check(const elf::InfoRecord &record) {
    if (const std::optional<elf::Violation> violation = check_record(record))
      report_at(Rule::InfoRecord, s_, violation->offset, violation->message, findings_);
    report_symbols(record);
    if (code_)
      report_offsets(record);
  }

  void report_symbols(const elf::InfoRecord &record) {
    const u32 count = symbol_word_count(record);
    for (u32 i = 0; i < count; ++i) {
      const u32 index = load_le<u32>(record.payload.data() + u64{i} * 4);
      if (is_one_of(symbol_types_of(record.attribute), index, symbols_))
        continue;
      report_at(Rule::InfoSymbol, s_, record.offset,
                index >= symbols_.size()
                    ? fmt::format("{} names symbol {}, there are {}",
                                  attribute_text(record.attribute), index, symbols_.size())
                    : fmt::format("{} names symbol {} '{}', which is of another type",
                                  attribute_text(record.attribute), index, symbols_[index].name),
                findings_);
    }
  }

  // Offsets refer to bytes of the function's code or, in the Mercury mirror, of the expanded code.
  // Only layouts that were seen in files are checked.
  void report_offsets(const elf::InfoRecord &record) {
    const elf::InfoRow *row = elf::info_row(record.attribute);
    if (!row || row->evidence != elf::InfoEvidence::Measured || !record.sized() ||
        effective_shape(record) != elf::InfoShape::Offsets)
      return;
    for (u64 at = 0; at + 4 <= record.payload.size(); at += 4)
      if (const u32 offset = load_le<u32>(&record.payload[at]); !is_instruction(*code_, offset))
        report_at(Rule::InfoOffset, s_, record.offset,
                  fmt::format("{} names {:#x}, which is not an instruction of {}",
                              attribute_text(record.attribute), offset, describe_section(*code_)),
                  findings_);
  }

  const Section &s_;
  const SymbolTable symbols_;
  const Section *code_; // of the function; null if there is none
  Findings &findings_;
};

// True if `offset`, a prototype, is the offset of a string in the symbol table's string table.
[[nodiscard]] bool is_string(const ElfView &view, const Section &section, u32 offset) {
  const Section &symbols = view.sections()[section.link];
  return c_string_at(view.sections()[symbols.link].data, offset).has_value();
}

[[nodiscard]] bool is_function(const SymbolTable &symbols, u32 index) {
  return index < symbols.size() && symbols.without_name(index).type() == SymbolType::Function;
}

void check_graph(const ElfView &view, const Section &section, Findings &findings) {
  const elf::CallGraph graph = elf::decode_call_graph(section.data);
  report_all(Rule::CallGraphFraming, section, graph.violations, findings);
  const SymbolTable symbols = view.linked_symbols(section);
  u32 next_part = 1;
  for (const elf::CallGroup &group : graph.groups) {
    if (static_cast<u32>(group.part) != next_part++)
      report_at(Rule::CallGraphFraming, section, group.offset,
                fmt::format("part -{} in place {}", static_cast<u32>(group.part), next_part - 1),
                findings);
    for (const elf::CallPair &pair : group.pairs) {
      const bool prototype = second_is_prototype(group.part);
      const u32 wrong = !is_function(symbols, pair.first)                  ? pair.first
                        : !prototype && !is_function(symbols, pair.second) ? pair.second
                                                                           : 0;
      if (wrong != 0 || pair.first == 0)
        report_at(Rule::CallGraphSymbol, section, group.offset,
                  fmt::format("symbol {} in this part is not a function", wrong), findings);
      if (prototype && !is_string(view, section, pair.second))
        report_at(
            Rule::CallGraphString, section, group.offset,
            fmt::format("prototype {:#x} in this part is not in the string table", pair.second),
            findings);
    }
  }
  if (next_part != 5 && !(graph.lacks_targets() && view.header().is_before_toolkit_12()))
    report_at(Rule::CallGraphFraming, section, section.size,
              fmt::format("{} parts, not 4", next_part - 1), findings);
}

void check_prototypes(const ElfView &view, const Section &section, Findings &findings) {
  const elf::PrototypeSection prototypes = elf::decode_prototypes(section.data);
  const SymbolTable symbols = view.linked_symbols(section);
  u64 offset = 0;
  for (const elf::Prototype &record : prototypes.records) {
    if (!is_function(symbols, record.symbol))
      report_at(Rule::PrototypeSymbol, section, offset,
                fmt::format("symbol {} is not a function", record.symbol), findings);
    if (!is_string(view, section, record.string))
      report_at(Rule::PrototypeString, section, offset,
                fmt::format("{:#x} is not in the string table", record.string), findings);
    offset += 8;
  }
}

void check_compat(const Section &section, Findings &findings) {
  const elf::CompatSection compat = elf::decode_compat(section.data);
  report_all(Rule::CompatFraming, section, compat.violations, findings);
  for (const elf::CompatRecord &record : compat.records) {
    if (const std::optional<elf::Violation> violation = check_compat_record(record))
      report_at(Rule::CompatRecord, section, violation->offset, violation->message, findings);
  }
}

void check_one_note(const Section &section, SectionRole role, const elf::Note &note,
                    Findings &findings) {
  const u32 type = role == SectionRole::NoteTkinfo ? elf::kNoteToolkitInfo : elf::kNoteCudaInfo;
  if (note.name != elf::kNoteOwner || note.type != type) {
    report_at(Rule::NoteName, section, note.offset,
              fmt::format("note of '{}', type {}, expected 'NVIDIA Corp', type {}", note.owner(),
                          note.type, type),
              findings);
    return;
  }
  if (elf::is_later_note(note)) // fields unknown
    return;
  if (role == SectionRole::NoteTkinfo) {
    if (const Result<elf::ToolkitInfo> info = elf::decode_toolkit_info(note.desc); !info)
      report_at(Rule::NoteToolkit, section, note.offset, info.error().text(), findings);
    return;
  }
  const Result<elf::CudaInfo> info = elf::decode_cuda_info(note.desc);
  if (!info)
    report_at(Rule::NoteCuda, section, note.offset, info.error().text(), findings);
  else if (const u16 version = section.name == kCuverName ? 1 : 2; info->version != version)
    report_at(Rule::NoteCuda, section, note.offset,
              fmt::format("version {}, not {}", info->version, version), findings);
}

void check_note_section(const Section &section, SectionRole role, Findings &findings) {
  const elf::NoteSection notes = elf::decode_notes(section.data);
  report_all(Rule::NoteFraming, section, notes.violations, findings);
  if (notes.notes.empty() && notes.violations.empty())
    report_at(Rule::NoteFraming, section, 0, "there is no note", findings);
  for (const elf::Note &note : notes.notes)
    check_one_note(section, role, note, findings);
}

void check_actions(const Section &section, Findings &findings) {
  const elf::RelocationActions actions = elf::decode_relocation_actions(section.data);
  report_all(Rule::ActionType, section, actions.violations, findings);
  for (u32 i = 0; i < actions.actions.size(); ++i)
    if (const u32 type = actions.first_type + i; !arch::find_reloc(type))
      report_at(Rule::ActionType, section, 8 + u64{i} * 8,
                fmt::format("relocation type {:#x} is not known", type), findings);
}

} // namespace

void check_info(const ElfView &view, const Section &section, u64 begin, u64 end,
                Findings &findings) {
  InfoCheck(view, section, findings).run(begin, end);
}

void check_calls(const ElfView &view, const Section &section, Findings &findings) {
  switch (section.type) {
  case SectionType::CudaCallgraph:
  case SectionType::CudaPrototype:
  case SectionType::MercuryCallgraph:
  case SectionType::MercuryPrototype:
    if (role_of(section) == SectionRole::Callgraph)
      check_graph(view, section, findings);
    else
      check_prototypes(view, section, findings);
    return;
  default:
    return;
  }
}

void check_note(const ElfView &, const Section &section, Findings &findings) {
  if (section.type != SectionType::Note && section.type != SectionType::CudaCompat &&
      section.type != SectionType::CudaRelocInfo)
    return;
  const SectionRole role = role_of(section);
  if (role == SectionRole::NoteTkinfo || role == SectionRole::NoteCuinfo)
    check_note_section(section, role, findings);
  else if (role == SectionRole::Compat)
    check_compat(section, findings);
  else if (role == SectionRole::RelAction)
    check_actions(section, findings);
}

} // namespace culink::verify
