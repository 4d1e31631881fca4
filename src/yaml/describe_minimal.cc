// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Describes a file as a user would write it: functions with their code, calls and relocations,
// variables, and undefined names. Omits defaults of assembling, and contents that the form cannot
// express (debug information, notes, the Mercury mirror, aliases). The latter are listed, so that
// the text is not taken for the whole file.
//
// The assembled text links and runs like the original, but has other offsets and numbers; the exact
// form reproduces the same bytes.
#include "yaml/text_form.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "elf/elf_view.h"
#include "elf/records/nv_callgraph.h"
#include "elf/records/nv_info.h"
#include "elf/records/nv_notes.h"
#include "elf/section_kind.h"
#include "elf/target/arch.h"
#include "elf/target/elf_flags.h"
#include "support/bytes.h"
#include "support/text_out.h"
#include "yaml/document/byte_lines.h"
#include "yaml/document/document.h"
#include "yaml/document/values.h"
#include "yaml/records.h"
#include "yaml/row_io.h"
#include "yaml/schema.h"

namespace culink::text {

using namespace elf;

namespace {

// The properties of a function in records and the call graph.
struct FunctionSummary {
  u32 registers = kDefaultRegisters;
  u32 frame = 0;
  Node calls = Node::sequence(Node::Style::Flow);
  Node indirect_calls = Node::sequence(Node::Style::Flow);
  std::optional<std::string_view> address_taken, prototype;
};

// Sections that the form cannot express.
constexpr std::array kNoPlace = {
    SectionRole::Unknown,  SectionRole::Local, SectionRole::ReservedShared, SectionRole::Uft,
    SectionRole::UftEntry, SectionRole::Udt,   SectionRole::UdtEntry};

// The state of the description of a file.
class MinimalDescriber {
public:
  explicit MinimalDescriber(const elf::ElfView &file) : file_(file), symbols_(file.symbols()) {}

  [[nodiscard]] MinimalDescription run(const arch::ArchInfo &arch) {
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
    RowWriter io{out, names_};
    io.number("virtual_arch", made_by.virtual_arch, unless(arch.number, FieldForm::Decimal));
    io.number("toolkit", toolkit_, unless(kDefaultToolkit, FieldForm::Decimal));
    Node functions = Node::sequence();
    for (u32 i = 0; i < symbols_.size(); ++i)
      if (symbols_[i].type() == SymbolType::Function && symbols_[i].in_section())
        functions.add(describe_function(i));
    std::erase_if(functions.items, [](const Node &node) { return node.items.empty(); });
    Node globals = describe_variables(SectionRole::Global);
    for (Node &variable : describe_variables(SectionRole::GlobalInit).items)
      globals.add(std::move(variable));
    io.items("functions", std::move(functions));
    io.items("globals", std::move(globals));
    io.items("constants", describe_variables(SectionRole::Constant));
    if (const Section *shared = file_.find(".nv_debug.shared"))
      if (std::optional<Node> list = describe_shared(*shared))
        io.items("shared", std::move(*list)); // a bare size is omitted: it has no name
    io.items("undefined", describe_undefined());
    io.items("attributes", std::move(attributes));
    list_left_out();

    MinimalDescription result{std::move(out), {}};
    for (const auto &[what, count] : left_out_)
      result.left_out.push_back(count == 1 ? what : fmt::format("{} ({} times)", what, count));
    return result;
  }

private:
  void collect_names() {
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

  void collect_relocations() {
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

  void collect_module_info(Node &attributes) {
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
               record.attribute != InfoAttribute::MaxStackSize)
        attributes.add(describe_info_record(record, names_));
    }
  }

  void collect_call_graph() {
    if (const Section *section = file_.find(".nv.callgraph")) {
      const CallGraph graph = decode_call_graph(section->data);
      for (const CallPair &pair : graph.pairs(CallPart::Calls)) {
        if (std::optional<Node> callee = reference(pair.second))
          functions_[pair.first].calls.add(std::move(*callee));
        called_.insert(pair.second);
      }
      for (const CallPair &pair : graph.pairs(CallPart::AddressTaken))
        functions_[pair.first].address_taken = string_at(pair.second);
      for (const CallPair &pair : graph.pairs(CallPart::IndirectCalls))
        functions_[pair.first].indirect_calls.add(name_node(string_at(pair.second).value_or("")));
      if (!graph.pairs(CallPart::IndirectTargets).empty())
        left_out("indirect targets of the call graph");
    }
    if (const Section *section = file_.find(".nv.prototype"))
      for (const Prototype &record : decode_prototypes(section->data).records)
        functions_[record.symbol].prototype = string_at(record.string);
  }

  [[nodiscard]] CudaInfo cuda_info(const arch::ArchInfo &arch) const {
    if (const Section *notes = file_.find(".note.nv.cuinfo"))
      for (const Note &note : decode_notes(notes->data).notes)
        if (const Result<CudaInfo> info = decode_cuda_info(note.desc);
            note.type == kNoteCudaInfo && info)
          return *info;
    return {.virtual_arch = arch.number, .toolkit = kDefaultToolkit};
  }

  void list_left_out() {
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
      else if (kind.is_relocations() || std::ranges::count(kNoPlace, kind.role) != 0 ||
               (kind.role == SectionRole::Constant && kind.bank != 3 && kind.bank != 0))
        left_out(fmt::format("section {}", printable(section.name)));
    }
  }

  // The entries of a document of the minimal form: functions, parameters, variables, undefined
  // names and relocations. Each omits the defaults of assembling (schema.h), so the conditions here
  // mirror the defaults of assemble_minimal.cc.
  [[nodiscard]] Node describe_function(u32 index) {
    const Symbol symbol = symbols_[index];
    const Section &text = file_.sections()[symbol.section];
    Node out = Node::map();
    if (kind_of(text).role != SectionRole::Text || !told_.insert(text.index).second) {
      left_out(fmt::format("function {} inside another's section", printable(symbol.name)));
      return out;
    }
    if (!spend(text.data.size(), describe_section(text)))
      return out;
    const FunctionSummary &facts = functions_[index];
    RowWriter io{out, names_};
    io.text("name", symbol.name);
    io.flag("kernel", (symbol.other & kOtherKernel) != 0);
    io.word("bind", Words::SymbolBinding, symbol.binding(), SymbolBinding::Global);
    io.number("registers", facts.registers, unless(kDefaultRegisters, FieldForm::Decimal));
    io.number("frame", facts.frame, unless(0));
    if (facts.prototype)
      io.text("prototype", *facts.prototype);
    if (facts.address_taken)
      io.text("address_taken", *facts.address_taken);
    io.items("calls", facts.calls);
    io.items("indirect_calls", facts.indirect_calls);
    if (const auto shared = shared_of_.find(text.index); shared != shared_of_.end())
      if (std::optional<Node> node = describe_shared(file_.sections()[shared->second]))
        out.set("shared", std::move(*node));
    if (const auto bank = bank_of_.find(text.index); bank != bank_of_.end()) {
      Node constants = Node::sequence();
      describe_section_variables(file_.sections()[bank->second], SymbolBinding::Local, constants);
      out.set("constants", std::move(constants));
    }
    if (const auto info = info_of_.find(text.index); info != info_of_.end()) {
      const Section &records = file_.sections()[info->second];
      if (spend(records.data.size(), describe_section(records)))
        describe_info_section(out, records);
    }
    io.items("relocs", describe_relocations(text.index, 0, text.size));
    out.set("code",
            text.data.size() % kInstructionSize == 0 ? code_node(text.data) : data_node(text.data));
    return out;
  }

  // Omits attributes that are defaults of assembling, and those with a key of their own.
  void describe_info_section(Node &out, const Section &info) {
    Node attributes = Node::sequence();
    std::vector<InfoKernelParameter> parameters;
    for (const InfoRecord &record : decode_info(info.data).records) {
      const InfoValue value = decode_value(record);
      const auto *number = std::get_if<InfoNumber>(&value);
      switch (record.attribute) {
      case InfoAttribute::KparamInfo:
        if (const auto *parameter = std::get_if<InfoKernelParameter>(&value)) {
          parameters.push_back(*parameter);
          continue;
        }
        break;
      case InfoAttribute::NumBarriers:
        if (!record.sized()) {
          out.set("barriers", decimal(record.value));
          continue;
        }
        break;
      case InfoAttribute::CudaApiVersion:
        if (number && number->value == toolkit_)
          continue;
        break;
      case InfoAttribute::MaxregCount:
        if (record.value == kNoRegisterLimit)
          continue;
        break;
      case InfoAttribute::MercuryIsaVersion:
        if (record.value == kIsaVersion || record.value == 0)
          continue;
        break;
      case InfoAttribute::ParamCbank:
      case InfoAttribute::CbankParamSize:
      case InfoAttribute::Externs:
        continue;
      default:
        break;
      }
      attributes.add(describe_info_record(record, names_));
    }
    if (!parameters.empty())
      out.set("params", describe_parameters(std::move(parameters)));
    RowWriter{out, names_}.items("attributes", std::move(attributes));
  }

  [[nodiscard]] static Node describe_parameters(std::vector<InfoKernelParameter> parameters) {
    std::ranges::stable_sort(parameters, {}, &InfoKernelParameter::ordinal);
    Node out = Node::sequence(Node::Style::Flow);
    u64 end = 0;
    for (const InfoKernelParameter &parameter : parameters) {
      Node row = row_of(ParameterRow{end, parameter});
      end = u64{parameter.offset} + parameter.size;
      out.add(row.items.size() == 1 ? std::move(row.items[0]) : std::move(row));
    }
    return out;
  }

  // Returns the variables if they are known, else the size.
  [[nodiscard]] std::optional<Node> describe_shared(const Section &section) const {
    if (section.size == 0)
      return std::nullopt;
    const auto variables = symbols_of_.find(section.index);
    if (variables == symbols_of_.end() || file_.header().type == FileType::Executable)
      return Node::scalar(hexadecimal(section.size));
    Node out = Node::sequence();
    for (const u32 i : variables->second) {
      const Symbol symbol = symbols_[i];
      RowWriter io{out.items.emplace_back(Node::map(Node::Style::Flow)), names_};
      io.text("name", symbol.name);
      io.number("size", symbol.size, {});
      if (is_power_of_two(symbol.value))
        io.number("align", symbol.value, unless(natural_align(symbol.size)));
      io.word("bind", Words::SymbolBinding, symbol.binding(), SymbolBinding::Local);
    }
    return out;
  }

  [[nodiscard]] Node describe_variables(SectionRole role) {
    Node out = Node::sequence();
    for (const Section &section : file_.sections()) {
      const SectionKind kind = kind_of(section);
      if (kind.role != role || kind.mercury || !kind.owner.empty() ||
          (role == SectionRole::Constant && kind.bank != 3))
        continue;
      describe_section_variables(section, SymbolBinding::Global, out);
    }
    if (role != SectionRole::Global)
      return out;
    for (u32 i = 0; i < symbols_.size(); ++i)
      if (symbols_[i].common()) {
        Node row = describe_variable(symbols_[i], 0);
        row.set("common", "true");
        out.add(std::move(row));
      }
    return out;
  }

  void describe_section_variables(const Section &section, SymbolBinding usual, Node &out) {
    told_.insert(section.index);
    u64 end = 0;
    for (const u32 i : symbols_of_[section.index]) {
      const Symbol symbol = symbols_[i];
      if (symbol.value < end) {
        left_out(fmt::format("variable {} inside another", printable(symbol.name)));
        continue;
      }
      out.add(describe_variable(symbol, end, usual));
      end = checked_add(symbol.value, symbol.size).value_or(~u64{0});
    }
  }

  // `end` is the end of the previous variable.
  [[nodiscard]] Node describe_variable(const Symbol &symbol, u64 end,
                                       SymbolBinding usual = SymbolBinding::Global) {
    Node out = Node::map(Node::Style::Flow);
    RowWriter io{out, names_};
    io.text("name", symbol.name);
    u64 align = natural_align(symbol.size);
    if (symbol.common())
      align = symbol.value;
    else
      for (u64 candidate = 1; candidate <= 0x1000 && align_up(end, align) != symbol.value;
           candidate *= 2)
        align = candidate;
    const std::optional<ByteSpan> data =
        symbol.in_section()
            ? slice(file_.sections()[symbol.section].data, symbol.value, symbol.size)
            : std::nullopt;
    if (data)
      out.set("data", data_node(*data));
    else
      io.number("size", symbol.size, {});
    if (is_power_of_two(align))
      io.number("align", align, unless(natural_align(symbol.size)));
    io.word("bind", Words::SymbolBinding, symbol.binding(), usual);
    io.flag("managed", (symbol.other & kOtherManaged) != 0);
    if (symbol.in_section())
      io.items("relocs", describe_relocations(symbol.section, symbol.value, symbol.size));
    const bool block = std::ranges::any_of(out.items, [](const Node &item) {
      return item.style == Node::Style::Lines || (!item.items.empty() && item.items.size() > 1);
    });
    out.style = block ? Node::Style::Block : Node::Style::Flow;
    return out;
  }

  [[nodiscard]] Node describe_undefined() const {
    Node out = Node::sequence();
    for (u32 i = 1; i < symbols_.size(); ++i) {
      const Symbol symbol = symbols_[i];
      if (!symbol.undefined() || symbol.name.empty())
        continue;
      const bool called = called_.contains(i);
      if (symbol.binding() == SymbolBinding::Weak && !called && !referenced_.contains(i))
        continue; // ptxas declares the symbols of unified tables in every object
      const bool function = symbol.type() == SymbolType::Function;
      const auto facts = functions_.find(i);
      const bool prototype = facts != functions_.end() && facts->second.prototype.has_value();
      const bool usual =
          called ? function && symbol.other == 0
                 : symbol.type() == SymbolType::CudaObject && symbol.other == kOtherGlobal;
      Node row = Node::map(Node::Style::Flow);
      RowWriter io{row, names_};
      io.text("name", symbol.name);
      if (!usual) {
        row.set("type", words_of(Words::SymbolType, symbol.type()));
        row.set("other", words_of(Words::SymbolOther, symbol.other));
      }
      io.word("bind", Words::SymbolBinding, symbol.binding(), SymbolBinding::Global);
      io.number("size", symbol.size, unless(0));
      io.number("align", symbol.value, unless(0));
      if (prototype)
        io.text("prototype", *facts->second.prototype);
      out.add(row.items.size() == 1 ? std::move(row.items[0]) : std::move(row));
    }
    return out;
  }

  [[nodiscard]] Node describe_relocations(u32 section, u64 start, u64 size) {
    Node out = Node::sequence();
    const auto list = relocations_.find(section);
    if (list == relocations_.end())
      return out;
    auto at = std::ranges::lower_bound(list->second, start, {}, &Relocation::offset);
    for (; at != list->second.end() && at->offset - start < size; ++at) {
      if (at->symbol != 0 && !reference(at->symbol)) {
        left_out("relocation to a symbol without a unique name");
        continue;
      }
      Relocation entry = *at;
      entry.offset -= start;
      out.add(describe_relocation(entry, true, names_));
    }
    return out;
  }

  [[nodiscard]] elf::SectionKind kind_of(const elf::Section &s) const {
    return elf::classify_section(s.name, s.type, s.flags);
  }
  // Returns a reference of the minimal form, which is by name.
  [[nodiscard]] std::optional<Node> reference(u32 symbol) const {
    Node out = names_.reference(symbol);
    return out.text.starts_with("#") ? std::nullopt : std::optional<Node>(std::move(out));
  }
  void left_out(std::string what) { ++left_out_[std::move(what)]; }
  // Sections of a damaged file may overlap; this bounds the text in proportion to the file.
  [[nodiscard]] bool spend(u64 bytes, std::string_view what) {
    spent_ += std::min<u64>(bytes, file_.file().size());
    if (spent_ <= file_.file().size() * 2)
      return true;
    left_out(std::string(what) + ", which overlaps others");
    return false;
  }
  [[nodiscard]] std::optional<std::string_view> string_at(u32 offset) const {
    const elf::Section *strings = file_.find(".strtab");
    return strings ? c_string_at(terminated_strings(strings->data), offset) : std::nullopt;
  }

  const elf::ElfView &file_;
  elf::SymbolTable symbols_;
  NameIndex names_{"symbol"};
  std::map<u32, FunctionSummary> functions_;                // by symbol
  std::map<u32, std::vector<elf::Relocation>> relocations_; // by target section, by offset
  std::map<u32, std::vector<u32>> symbols_of_;              // by section, by value
  std::map<u32, u32> info_of_, shared_of_, bank_of_;        // by text section; of bank 2
  std::set<u32> called_, referenced_;                       // symbols
  std::set<u32> told_;                                      // sections that the text describes
  std::map<std::string, u64> left_out_;
  u64 spent_ = 0;
  u32 toolkit_ = kDefaultToolkit;
};

} // namespace

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
