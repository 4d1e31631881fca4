// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values of attribute records as a flat list of named parts. The codec gives each shape of payload
// a type of its own, which the installed header does not show; a program that asks for "registers
// of this symbol" needs no more than (key, number) pairs. The keys are those of `cubin dump --json`
// (src/elf/records/fields.h), so that what one has learned there holds here. Rows of tables
// simply follow each other: each begins with an "offset".
#include "inspect/reader/attribute_values.h"

#include <string>

#include "elf/records/fields.h"

namespace culink::inspect {

namespace {

using Value = CubinReader::Value;

// Collects the fields of one value.
struct FieldCollector {
  static constexpr bool kDocument = false;
  const elf::ElfView &file;
  const elf::SymbolTable &symbols;
  elf::InfoShape shape;
  std::vector<Value> out = {};

  void add(std::string_view key, u64 value, elf::FieldForm form = elf::FieldForm::Decimal) {
    if (form == elf::FieldForm::Symbol)
      return symbol_at(key, static_cast<u32>(value));
    out.push_back({form == elf::FieldForm::Address ? Value::Kind::CodeOffset : Value::Kind::Number,
                   key,
                   value,
                   {}});
  }
  void symbol_at(std::string_view key, u32 index) {
    const bool named = index != 0 && index < symbols.size();
    out.push_back({Value::Kind::Symbol, key, index,
                   named ? std::string(name_of_symbol(file, symbols[index])) : std::string()});
  }

  void number(elf::FieldKey key, u64 value, const elf::FieldRule &rule) {
    add(key.data, value, rule.form);
  }
  void symbol(elf::FieldKey key, u32 index) { symbol_at(key.data, index); }
  void flag(elf::FieldKey key, bool set, std::string_view, std::string_view) { add(key.data, set); }
  void text(elf::FieldKey key, const std::string &text) {
    out.push_back({Value::Kind::Text, key.data, 0, text});
  }
  void numbers(elf::FieldKey key, std::span<const u32> words, const elf::FieldRule &rule) {
    for (const u32 word : words)
      add(key.data, word, rule.form);
  }
  void triple(elf::FieldKey, u32 x, u32 y, u32 z) {
    add("x", x);
    add("y", y);
    add("z", z);
  }
  void table(const elf::InfoTable &table) {
    for (u64 i = 0; i < table.words.size(); ++i)
      if (i % table.columns == 0)
        add("offset", table.words[i], elf::FieldForm::Address);
      else
        add("words", table.words[i]);
  }
  void list(elf::FieldKey, auto &records) {
    for (auto &record : records)
      fields(*this, record);
  }
  void bytes(elf::FieldKey, ByteSpan) {} // the payload is all there is to say
  [[nodiscard]] bool has(std::string_view, bool stated) const { return stated; }
  void data_only(elf::FieldKey key, u64 value) { add(key.data, value); }
};

} // namespace

std::string_view name_of_symbol(const elf::ElfView &file, const elf::Symbol &symbol) {
  if (symbol.name.empty() && symbol.type() == elf::SymbolType::Section && symbol.in_section())
    return file.sections()[symbol.section].name;
  return symbol.name;
}

std::vector<Value> values_of(const elf::InfoRecord &record, const elf::ElfView &file,
                             const elf::SymbolTable &symbols) {
  FieldCollector collector{file, symbols, elf::effective_shape(record)};
  elf::InfoValue value = elf::decode_value(record);
  std::visit([&](auto &v) { fields(collector, v); }, value);
  return std::move(collector.out);
}

std::vector<Value> values_of(const elf::CompatRecord &record) {
  if (const std::optional<u64> number = elf::compat_number(record))
    return {{Value::Kind::Number, "value", *number, {}}};
  return {};
}

} // namespace culink::inspect
