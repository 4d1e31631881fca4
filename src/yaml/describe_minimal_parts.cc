// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The entries of a document of the minimal form: functions, parameters, variables, undefined names
// and relocations. Each states only what assembling would not give by itself (schema.h), so the
// conditions here mirror the defaults of assemble_minimal*.cc.
#include <algorithm>

#include <fmt/format.h>

#include "support/bytes.h"
#include "support/text_out.h"
#include "yaml/document/byte_lines.h"
#include "yaml/document/words.h"
#include "yaml/minimal_describer.h"
#include "yaml/records.h"
#include "yaml/table_rows.h"

namespace culink::text {

using namespace elf;

Node MinimalDescriber::describe_function(u32 index) {
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
  out.set("name", name_node(symbol.name));
  if ((symbol.other & kOtherKernel) != 0)
    out.set("kernel", "true");
  if (symbol.binding() != SymbolBinding::Global)
    out.set("bind", words_of(Words::SymbolBinding, symbol.binding()));
  if (facts.registers != kDefaultRegisters)
    out.set("registers", decimal(facts.registers));
  if (facts.frame != 0)
    out.set("frame", hexadecimal(facts.frame));
  if (facts.prototype)
    out.set("prototype", name_node(*facts.prototype));
  if (facts.address_taken)
    out.set("address_taken", name_node(*facts.address_taken));
  Node calls = Node::sequence(Node::Style::Flow), indirect = Node::sequence(Node::Style::Flow);
  for (const u32 callee : facts.callees)
    if (std::optional<Node> to = reference(callee))
      calls.add(std::move(*to));
  for (const std::string_view prototype : facts.indirect_calls)
    indirect.add(name_node(prototype));
  if (!calls.items.empty())
    out.set("calls", std::move(calls));
  if (!indirect.items.empty())
    out.set("indirect_calls", std::move(indirect));
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
  Node relocs = describe_relocations(text.index, 0, text.size);
  if (!relocs.items.empty())
    out.set("relocs", std::move(relocs));
  out.set("code",
          text.data.size() % kInstructionSize == 0 ? code_node(text.data) : data_node(text.data));
  return out;
}

// Attributes that assembling gives by itself, and those that have a key of their own.
void MinimalDescriber::describe_info_section(Node &out, const Section &info) {
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
    const ByteSpan bytes = info.data.subspan(record.offset, record.encoded_size());
    if (std::optional<Node> rows = describe_info(bytes, names_))
      attributes.add(std::move(rows->items.at(0)));
  }
  if (!parameters.empty())
    out.set("params", describe_parameters(std::move(parameters)));
  if (!attributes.items.empty())
    out.set("attributes", std::move(attributes));
}

Node MinimalDescriber::describe_parameters(std::vector<InfoKernelParameter> parameters) {
  std::ranges::stable_sort(parameters, {}, &InfoKernelParameter::ordinal);
  Node out = Node::sequence(Node::Style::Flow);
  u64 end = 0;
  for (const InfoKernelParameter &parameter : parameters) {
    const bool natural = parameter.offset == align_up(end, natural_align(parameter.size));
    end = u64{parameter.offset} + parameter.size;
    if (natural && parameter.pointee_alignment == 0 && parameter.space == 0) {
      out.add(Node::scalar(decimal(parameter.size)));
      continue;
    }
    Node row = Node::map(Node::Style::Flow);
    row.set("size", decimal(parameter.size));
    if (!natural)
      row.set("offset", hexadecimal(parameter.offset));
    if (parameter.pointee_alignment != 0)
      row.set("align", decimal(parameter.pointee_alignment));
    if (parameter.space != 0)
      row.set("space", decimal(parameter.space));
    out.add(std::move(row));
  }
  return out;
}

// Variables where they are known, else the size.
std::optional<Node> MinimalDescriber::describe_shared(const Section &section) const {
  if (section.size == 0)
    return std::nullopt;
  const auto variables = symbols_of_.find(section.index);
  if (variables == symbols_of_.end() || file_.header().type == FileType::Executable)
    return Node::scalar(hexadecimal(section.size));
  Node out = Node::sequence();
  for (const u32 i : variables->second) {
    const Symbol symbol = symbols_[i];
    Node row = Node::map(Node::Style::Flow);
    row.set("name", name_node(symbol.name));
    row.set("size", hexadecimal(symbol.size));
    if (symbol.value != natural_align(symbol.size) && is_power_of_two(symbol.value))
      row.set("align", hexadecimal(symbol.value));
    if (symbol.binding() != SymbolBinding::Local)
      row.set("bind", words_of(Words::SymbolBinding, symbol.binding()));
    out.add(std::move(row));
  }
  return out;
}

Node MinimalDescriber::describe_variables(SectionRole role) {
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

void MinimalDescriber::describe_section_variables(const Section &section, SymbolBinding usual,
                                                  Node &out) {
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

// `end` is where the variable before it ended.
Node MinimalDescriber::describe_variable(const Symbol &symbol, u64 end, SymbolBinding usual) {
  Node out = Node::map(Node::Style::Flow);
  out.set("name", name_node(symbol.name));
  u64 align = natural_align(symbol.size);
  if (symbol.common())
    align = symbol.value;
  else
    for (u64 candidate = 1; candidate <= 0x1000 && align_up(end, align) != symbol.value;
         candidate *= 2)
      align = candidate;
  const std::optional<ByteSpan> data =
      symbol.in_section() ? slice(file_.sections()[symbol.section].data, symbol.value, symbol.size)
                          : std::nullopt;
  if (data)
    out.set("data", data_node(*data));
  else
    out.set("size", hexadecimal(symbol.size));
  if (align != natural_align(symbol.size) && is_power_of_two(align))
    out.set("align", hexadecimal(align));
  if (symbol.binding() != usual)
    out.set("bind", words_of(Words::SymbolBinding, symbol.binding()));
  if ((symbol.other & kOtherManaged) != 0)
    out.set("managed", "true");
  Node relocs = symbol.in_section()
                    ? describe_relocations(symbol.section, symbol.value, symbol.size)
                    : Node{};
  if (!relocs.items.empty())
    out.set("relocs", std::move(relocs));
  const bool block = std::ranges::any_of(out.items, [](const Node &item) {
    return item.style == Node::Style::Lines || (!item.items.empty() && item.items.size() > 1);
  });
  out.style = block ? Node::Style::Block : Node::Style::Flow;
  return out;
}

Node MinimalDescriber::describe_undefined() const {
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
    if (usual && symbol.binding() == SymbolBinding::Global && symbol.size == 0 &&
        symbol.value == 0 && !prototype) {
      out.add(name_node(symbol.name));
      continue;
    }
    Node row = Node::map(Node::Style::Flow);
    row.set("name", name_node(symbol.name));
    if (!usual) {
      row.set("type", words_of(Words::SymbolType, symbol.type()));
      row.set("other", words_of(Words::SymbolOther, symbol.other));
    }
    if (symbol.binding() != SymbolBinding::Global)
      row.set("bind", words_of(Words::SymbolBinding, symbol.binding()));
    if (symbol.size != 0)
      row.set("size", hexadecimal(symbol.size));
    if (symbol.value != 0)
      row.set("align", hexadecimal(symbol.value));
    if (prototype)
      row.set("prototype", name_node(*facts->second.prototype));
    out.add(std::move(row));
  }
  return out;
}

Node MinimalDescriber::describe_relocations(u32 section, u64 start, u64 size) {
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

} // namespace culink::text
