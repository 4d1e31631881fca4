// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A file as a person would write it: functions with their code, calls and relocations, variables,
// and the names that other files define. Defaults of assembling are left out, and so is what the
// form has no place for (debug information, notes, the Mercury mirror, aliases); what was left out
// is listed, so that nobody takes the text for the whole file.
//
// What assembles from it links and runs like the original, but has other offsets and numbers; for
// the same bytes there is the exact form.
#include "yaml/describe.h"

#include <algorithm>

#include <fmt/format.h>

#include "elf/records/nv_callgraph.h"
#include "elf/records/nv_notes.h"
#include "elf/target/elf_flags.h"
#include "support/text_out.h"
#include "yaml/document/words.h"
#include "yaml/minimal_describer.h"
#include "yaml/records.h"

namespace culink::text {

using namespace elf;

MinimalDescription MinimalDescriber::run(const arch::ArchInfo &arch) {
  collect_names();
  collect_relocations();
  Node attributes = Node::sequence();
  collect_module_info(attributes);
  collect_call_graph();

  Node out = Node::map();
  out.set("arch", std::string(arch.name));
  out.set("type", words_of(Words::FileType, file_.header().type));
  const CudaInfo made_by = cuda_info(arch);
  toolkit_ = made_by.toolkit;
  if (made_by.virtual_arch != arch.number)
    out.set("virtual_arch", decimal(made_by.virtual_arch));
  if (toolkit_ != kDefaultToolkit)
    out.set("toolkit", decimal(toolkit_));
  Node functions = Node::sequence();
  for (u32 i = 0; i < symbols_.size(); ++i)
    if (symbols_[i].type() == SymbolType::Function && symbols_[i].in_section())
      functions.add(describe_function(i));
  std::erase_if(functions.items, [](const Node &node) { return node.items.empty(); });
  Node globals = describe_variables(SectionRole::Global);
  for (Node &variable : describe_variables(SectionRole::GlobalInit).items)
    globals.add(std::move(variable));
  const auto set = [&](std::string_view key, Node list) {
    if (!list.items.empty())
      out.set(key, std::move(list));
  };
  set("functions", std::move(functions));
  set("globals", std::move(globals));
  set("constants", describe_variables(SectionRole::Constant));
  if (const Section *shared = file_.find(".nv_debug.shared"))
    if (std::optional<Node> list = describe_shared(*shared))
      set("shared", std::move(*list)); // a bare size stays untold: nothing can refer to it
  set("undefined", describe_undefined());
  set("attributes", std::move(attributes));
  list_left_out();

  MinimalDescription result{std::move(out), {}};
  for (const auto &[what, count] : left_out_)
    result.left_out.push_back(count == 1 ? what : fmt::format("{} ({} times)", what, count));
  return result;
}

void MinimalDescriber::collect_names() {
  for (u32 i = 0; i < symbols_.size(); ++i) {
    const Symbol symbol = symbols_[i];
    names_.add(symbol.name);
    if (symbol.in_section() && symbol.type() != SymbolType::Section)
      symbols_of_[symbol.section].push_back(i);
  }
  for (auto &[section, list] : symbols_of_)
    std::ranges::stable_sort(list, {}, [&](u32 i) { return symbols_[i].value; });
  for (const Section &section : file_.sections()) {
    const SectionKind kind = kind_of(section);
    if (kind.mercury)
      continue;
    if (kind.role == SectionRole::Info && !kind.owner.empty())
      info_of_.emplace(section.info, section.index);
    if (kind.role == SectionRole::Shared && !kind.owner.empty())
      shared_of_.emplace(section.info, section.index);
    if (kind.role == SectionRole::Constant && kind.bank == 2 && !kind.owner.empty() &&
        symbols_of_.contains(section.index))
      bank_of_.emplace(section.info, section.index);
  }
}

void MinimalDescriber::collect_relocations() {
  for (const Section &section : file_.sections()) {
    if (section.type != SectionType::Rel && section.type != SectionType::Rela)
      continue;
    const SectionRole role = kind_of(file_.sections()[section.info]).role;
    if (role != SectionRole::Text && role != SectionRole::GlobalInit &&
        role != SectionRole::Constant)
      continue;
    if (!spend(section.data.size(), describe_section(section)))
      continue;
    told_.insert(section.index);
    const RelocationTable table = file_.relocations(section);
    for (u32 i = 0; i < table.size(); ++i) {
      relocations_[section.info].push_back(table[i]);
      referenced_.insert(table[i].symbol);
    }
  }
  for (auto &[section, list] : relocations_)
    std::ranges::stable_sort(list, {}, &Relocation::offset);
}

void MinimalDescriber::collect_module_info(Node &attributes) {
  const Section *info = file_.find(".nv.info");
  if (!info)
    return;
  for (const InfoRecord &record : decode_info(info->data).records) {
    const InfoValue value = decode_value(record);
    const auto *word = std::get_if<InfoSymbolWord>(&value);
    if (word && record.attribute == InfoAttribute::Regcount)
      functions_[word->symbol].registers = word->value;
    else if (word && record.attribute == InfoAttribute::FrameSize)
      functions_[word->symbol].frame = word->value;
    else if (record.attribute != InfoAttribute::MinStackSize &&
             record.attribute != InfoAttribute::MaxStackSize) {
      const ByteSpan bytes = info->data.subspan(record.offset, record.encoded_size());
      if (std::optional<Node> rows = describe_info(bytes, names_))
        attributes.add(std::move(rows->items.at(0)));
    }
  }
}

void MinimalDescriber::collect_call_graph() {
  if (const Section *section = file_.find(".nv.callgraph")) {
    const CallGraph graph = decode_call_graph(section->data);
    for (const CallPair &pair : graph.pairs(CallPart::Calls)) {
      functions_[pair.first].callees.push_back(pair.second);
      called_.insert(pair.second);
    }
    for (const CallPair &pair : graph.pairs(CallPart::AddressTaken))
      functions_[pair.first].address_taken = string_at(pair.second);
    for (const CallPair &pair : graph.pairs(CallPart::IndirectCalls))
      functions_[pair.first].indirect_calls.push_back(string_at(pair.second).value_or(""));
    if (!graph.pairs(CallPart::IndirectTargets).empty())
      left_out("indirect targets of the call graph");
  }
  if (const Section *section = file_.find(".nv.prototype"))
    for (const Prototype &record : decode_prototypes(section->data).records)
      functions_[record.symbol].prototype = string_at(record.string);
}

CudaInfo MinimalDescriber::cuda_info(const arch::ArchInfo &arch) const {
  if (const Section *notes = file_.find(".note.nv.cuinfo"))
    for (const Note &note : decode_notes(notes->data).notes)
      if (const Result<CudaInfo> info = decode_cuda_info(note.desc);
          note.type == kNoteCudaInfo && info)
        return *info;
  return {.virtual_arch = arch.number, .toolkit = kDefaultToolkit};
}

void MinimalDescriber::list_left_out() {
  for (const Section &section : file_.sections()) {
    const SectionKind kind = kind_of(section);
    if (told_.contains(section.index) || section.size == 0)
      continue;
    const bool relocations_of_debug = kind.is_relocations() &&
                                      section.info < file_.sections().size() &&
                                      kind_of(file_.sections()[section.info]).is_debug();
    if (kind.mercury || kind.role == SectionRole::CapmercText)
      left_out("section of the Mercury mirror");
    else if (kind.is_debug() || relocations_of_debug)
      left_out("section of debug information");
    else if (kind.role == SectionRole::Unknown || kind.is_relocations() ||
             kind.role == SectionRole::Local || kind.role == SectionRole::ReservedShared ||
             kind.role == SectionRole::Uft || kind.role == SectionRole::UftEntry ||
             kind.role == SectionRole::Udt || kind.role == SectionRole::UdtEntry ||
             (kind.role == SectionRole::Constant && kind.bank != 3 && kind.bank != 0))
      left_out(fmt::format("section {}", printable(section.name)));
  }
}

Result<MinimalDescription> describe_minimal(const ElfView &file) {
  const arch::FileTarget target = arch::target_of(file);
  const FileType type = file.header().type;
  if (!target.arch)
    return Error{"ELF header", "e_flags", "no known target; use the exact form (--exact)"};
  if (type != FileType::Relocatable && type != FileType::Executable)
    return Error{"ELF header", "e_type", "neither REL nor EXEC; use the exact form (--exact)"};
  return MinimalDescriber(file).run(*target.arch);
}

} // namespace culink::text
