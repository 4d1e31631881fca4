// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values of attribute records as a flat list of named parts. The codec gives each shape of payload
// a type of its own, which the installed header does not show; a program that asks for "registers
// of this symbol" needs no more than (key, number) pairs. The keys are those of `cubin dump --json`
// (src/text/dump/dump_info.cc), so that what one has learned there holds here. Rows of tables
// simply follow each other: each begins with an "offset".
#include "inspect/attribute_values.h"

#include <string>

namespace culink::inspect {

namespace {

using Value = CubinReader::Value;

// Collects the parts of one value; one overload per kind of elf::InfoValue.
struct ValueCollector {
  const elf::ElfView &file;
  const elf::SymbolTable &symbols;
  elf::InfoShape shape;
  std::vector<Value> out = {};

  void number(std::string_view key, u64 value) {
    out.push_back({Value::Kind::Number, key, value, {}});
  }
  void offset(std::string_view key, u64 value) {
    out.push_back({Value::Kind::CodeOffset, key, value, {}});
  }
  void symbol(std::string_view key, u32 index) {
    const bool named = index != 0 && index < symbols.size();
    out.push_back({Value::Kind::Symbol, key, index,
                   named ? std::string(name_of_symbol(file, symbols[index])) : std::string()});
  }
  void words(std::string_view key, std::span<const u32> words) {
    for (const u32 word : words)
      number(key, word);
  }

  void operator()(const elf::InfoNumber &value) {
    if (shape != elf::InfoShape::None || value.value != 0)
      number("value", value.value);
  }
  void operator()(const elf::InfoWords &value) {
    for (const u32 word : value.words)
      if (shape == elf::InfoShape::Symbols)
        symbol("symbols", word);
      else if (shape == elf::InfoShape::Offsets)
        offset("offsets", word);
      else
        number("words", word);
  }
  void operator()(const elf::InfoSymbolWord &value) {
    symbol("symbol", value.symbol);
    number("value", value.value);
  }
  void operator()(const elf::InfoSymbolWords &value) {
    symbol("symbol", value.symbol);
    words("words", value.values);
  }
  void operator()(const elf::InfoDim3 &value) {
    number("x", value.x);
    number("y", value.y);
    number("z", value.z);
  }
  void operator()(const elf::InfoParameterBank &value) {
    symbol("symbol", value.symbol);
    number("offset", value.offset);
    number("size", value.size);
  }
  void operator()(const elf::InfoKernelParameter &value) {
    number("index", value.index);
    number("ordinal", value.ordinal);
    number("offset", value.offset);
    number("size", value.size);
    number("log_alignment", value.pointee_alignment);
    number("space", value.space);
    number("cbank", value.cbank);
    number("parameter_space", value.parameter_space ? 1 : 0);
  }
  void operator()(const elf::InfoKernelParameter2 &value) {
    number("index", value.index);
    number("ordinal", value.ordinal);
    number("offset", value.offset);
    number("size", value.size);
    number("log_alignment", value.pointee_alignment);
    number("space", value.space);
    number("high", value.high);
  }
  void operator()(const elf::InfoBranchTargets &value) {
    for (const elf::InfoBranch &branch : value.branches) {
      offset("offset", branch.offset);
      number("kind", branch.kind);
      for (const u32 target : branch.targets)
        offset("targets", target);
    }
  }
  void operator()(const elf::InfoTable &value) {
    for (u64 i = 0; i < value.words.size(); ++i)
      if (i % value.columns == 0)
        offset("offset", value.words[i]);
      else
        number("words", value.words[i]);
  }
  void operator()(const elf::InfoAnnotations &value) {
    for (const elf::InfoAnnotation &annotation : value.annotations) {
      number("kind", annotation.kind);
      if (annotation.kind != elf::kAnnotationOfFunction)
        offset("offset", annotation.offset);
      if (annotation.kind != elf::kAnnotationMark)
        out.push_back({Value::Kind::Text, "text", 0, annotation.text});
    }
  }
  void operator()(const elf::InfoBytes &) {} // the payload is all there is to say
};

} // namespace

std::string_view name_of_symbol(const elf::ElfView &file, const elf::Symbol &symbol) {
  if (symbol.name.empty() && symbol.type() == elf::SymbolType::Section && symbol.in_section())
    return file.sections()[symbol.section].name;
  return symbol.name;
}

std::vector<Value> values_of(const elf::InfoRecord &record, const elf::ElfView &file,
                             const elf::SymbolTable &symbols) {
  ValueCollector collector{file, symbols, elf::effective_shape(record)};
  std::visit(collector, elf::decode_value(record));
  return std::move(collector.out);
}

std::vector<Value> values_of(const elf::CompatRecord &record) {
  if (const std::optional<u64> number = elf::compat_number(record))
    return {{Value::Kind::Number, "value", *number, {}}};
  return {};
}

} // namespace culink::inspect
