// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The fields of elf/records/fields.h, told to a sink.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "elf/records/fields.h"
#include "inspect/dump/dump_parts.h"

namespace culink::text {

struct FieldPrinter {
  static constexpr bool kDocument = false;
  Sink &sink;
  const SymbolNames *names = nullptr; // of records that have symbols
  elf::InfoShape shape = elf::InfoShape::Opaque;
  bool masks = false; // values are bits, which decimal digits would hide

  void number(elf::FieldKey key, u64 value, const elf::FieldRule &rule) {
    const bool decimal = rule.form == elf::FieldForm::Decimal ||
                         rule.form == elf::FieldForm::Size ||
                         (rule.form == elf::FieldForm::Mask && !masks);
    sink.put(key.data, decimal ? text::number(value) : hex(value));
  }
  void symbol(elf::FieldKey key, u32 index) { sink.put(key.data, label(index, (*names)(index))); }
  void flag(elf::FieldKey key, bool set, std::string_view no, std::string_view yes) {
    sink.put(key.data, label(set ? 1 : 0, set ? yes : no));
  }
  void text(elf::FieldKey key, const std::string &text) { sink.put(key.data, name(text)); }
  void numbers(elf::FieldKey key, std::span<const u32> words, const elf::FieldRule &rule) {
    const bool named = rule.form == elf::FieldForm::Symbol;
    std::vector<std::string> shown;
    for (const u32 word : words)
      shown.push_back(named ? (*names)(word) : "");
    std::vector<Value> values;
    for (size_t i = 0; i < words.size(); ++i)
      values.push_back(named ? label(words[i], shown[i]) : hex(words[i]));
    sink.values({key.data, ""}, values, named);
  }
  void triple(elf::FieldKey, u32 x, u32 y, u32 z) {
    sink.put("x", text::number(x));
    sink.put("y", text::number(y));
    sink.put("z", text::number(z));
  }
  void table(const elf::InfoTable &table) {
    sink.open_list("rows", "");
    for (size_t at = 0; at < table.words.size(); at += table.columns) {
      const std::span<const u32> row =
          std::span(table.words)
              .subspan(at, std::min<size_t>(table.columns, table.words.size() - at));
      sink.open_row();
      sink.put("offset", hex(row[0]));
      numbers("words", row.subspan(1), {});
      sink.close_row();
    }
    sink.close_list();
  }
  void list(elf::FieldKey key, auto &records) {
    sink.list(key.data, "", records, [&](auto record) { fields(*this, record); });
  }
  void bytes(elf::FieldKey key, ByteSpan bytes) { sink.bytes({key.data, ""}, bytes); }
  [[nodiscard]] bool has(std::string_view, bool stated) const { return stated; }
  void data_only(elf::FieldKey key, u64 value) { sink.put(key.data, text::number(value)); }
};

} // namespace culink::text
