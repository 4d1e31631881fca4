// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows of a document: the fields of a record as keys of a map. `fields(io, record)` describes a
// record once (elf/records/fields.h). With a RowWriter it adds the keys to a row, with a RowReader
// it fills the record, and with RowKeys it lists the keys.
#pragma once

#include <array>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "elf/records/fields.h"
#include "yaml/document/byte_lines.h"
#include "yaml/document/document.h"
#include "yaml/document/values.h"

namespace culink::text {

// The rule of a number that a document omits if it is `otherwise`.
constexpr elf::FieldRule unless(u64 otherwise, elf::FieldForm form = elf::FieldForm::Hex) {
  return {form, elf::FieldRule::Optional, otherwise};
}

struct RowWriter {
  static constexpr bool kDocument = true;
  Node &row;
  const NameIndex &symbols; // or sections, in rows that refer to sections
  elf::InfoShape shape = elf::InfoShape::Opaque;

  void number(elf::FieldKey key, u64 value, const elf::FieldRule &rule) {
    if (rule.presence != elf::FieldRule::Optional || value != rule.otherwise)
      row.set(key.document,
              rule.form == elf::FieldForm::Decimal ? decimal(value) : hexadecimal(value));
  }
  template <class Number> void word(elf::FieldKey key, Words kind, Number value, Number otherwise) {
    if (value != otherwise)
      row.set(key.document, words_of(kind, value));
  }
  void symbol(elf::FieldKey key, u32 index) { row.set(key.document, symbols.reference(index)); }
  void reference(elf::FieldKey key, u32 index, u32 otherwise) {
    if (index != otherwise)
      symbol(key, index);
  }
  void flag(elf::FieldKey key, bool set, std::string_view = {}, std::string_view = {}) {
    if (set)
      row.set(key.document, "true");
  }
  // Adds a list, unless it is empty.
  void items(elf::FieldKey key, Node list) {
    if (!list.items.empty())
      row.set(key.document, std::move(list));
  }
  void text(elf::FieldKey key, std::string_view text) { row.set(key.document, name_node(text)); }
  void numbers(elf::FieldKey key, std::span<const u32> words, const elf::FieldRule &rule) {
    row.set(key.document, list_of(words, rule.form));
  }
  void triple(elf::FieldKey key, u32 x, u32 y, u32 z) {
    numbers(key, std::array<u32, 3>{x, y, z}, {});
  }
  void table(const elf::InfoTable &table) {
    Node rows = Node::sequence(Node::Style::Flow);
    for (u64 at = 0; at + table.columns <= table.words.size(); at += table.columns)
      rows.add(list_of(std::span(table.words).subspan(at, table.columns), elf::FieldForm::Hex));
    row.set("table", std::move(rows));
  }
  void list(elf::FieldKey key, auto &records) {
    Node rows = Node::sequence(Node::Style::Flow);
    for (auto &record : records) {
      RowWriter inner{rows.items.emplace_back(Node::map(Node::Style::Flow)), symbols};
      fields(inner, record);
    }
    row.set(key.document, std::move(rows));
  }
  void bytes(elf::FieldKey key, ByteSpan bytes) { row.set(key.document, hex_string(bytes)); }
  [[nodiscard]] bool has(std::string_view, bool stated) const { return stated; }
  void data_only(elf::FieldKey, u64) {}

private:
  [[nodiscard]] Node list_of(std::span<const u32> words, elf::FieldForm form) const {
    Node out = Node::sequence(Node::Style::Flow);
    for (const u32 word : words)
      out.add(form == elf::FieldForm::Symbol ? symbols.reference(word)
                                             : Node::scalar(hexadecimal(word)));
    return out;
  }
};

struct RowKeys {
  static constexpr bool kDocument = true;
  std::vector<std::string_view> keys = {};

  void number(elf::FieldKey key, u64, const elf::FieldRule &) { keys.push_back(key.document); }
  void numbers(elf::FieldKey key, auto &, const elf::FieldRule &) { keys.push_back(key.document); }
  void symbol(elf::FieldKey key, u32) { keys.push_back(key.document); }
  [[nodiscard]] bool has(std::string_view key, bool) {
    keys.push_back(key);
    return false;
  }
  void text(elf::FieldKey, std::string_view) {} // the caller has checked `has`
  void data_only(elf::FieldKey, u64) {}
};
template <class Record> std::vector<std::string_view> keys_of() {
  RowKeys io;
  Record record{};
  fields(io, record);
  return io.keys;
}

struct RowReader {
  static constexpr bool kDocument = true;
  const MapReader &row;
  const NameIndex &symbols;
  Complaints &complaints;
  std::string_view instead = {}; // names the alternative in the message about a missing key
  elf::InfoShape shape = elf::InfoShape::Opaque;

  template <class Number>
  void number(elf::FieldKey key, Number &value, const elf::FieldRule &rule) const {
    constexpr u64 kMost = std::numeric_limits<Number>::max();
    const Node *node = find(key, rule);
    value = static_cast<Number>(node ? read_number(*node, std::min(rule.most, kMost), complaints)
                                     : rule.otherwise);
  }
  template <class Number>
  void word(elf::FieldKey key, Words kind, Number &value, Number otherwise) const {
    value = otherwise;
    read_words(kind, row.find(key.document), value, complaints);
  }
  void symbol(elf::FieldKey key, u32 &index) const {
    if (const Node *node = find(key, {}))
      index = symbols.resolve(*node, complaints);
  }
  void reference(elf::FieldKey key, u32 &index, u32 otherwise) const {
    const Node *node = row.find(key.document);
    index = node ? symbols.resolve(*node, complaints) : otherwise;
  }
  void flag(elf::FieldKey key, bool &set, std::string_view, std::string_view) const {
    set = row.flag(key.document);
  }
  void text(elf::FieldKey key, std::string &text) const { text = row.name(key.document); }
  void numbers(elf::FieldKey key, std::vector<u32> &words, const elf::FieldRule &rule) const {
    const Node *node = find(key, rule);
    for (const Node &item : node ? read_list(*node, complaints) : std::span<const Node>())
      words.push_back(rule.form == elf::FieldForm::Symbol
                          ? symbols.resolve(item, complaints)
                          : static_cast<u32>(read_number(item, kMaxWord, complaints)));
  }
  void triple(elf::FieldKey key, u32 &x, u32 &y, u32 &z) const {
    std::vector<u32> words;
    numbers(key, words, {});
    if (words.size() != 3)
      return row.report("`" + std::string(key.document) + "` needs three numbers");
    x = words[0], y = words[1], z = words[2];
  }
  void table(elf::InfoTable &table) const {
    const Node *rows = find("table", {});
    for (const Node &item : rows ? read_list(*rows, complaints) : std::span<const Node>()) {
      const std::span<const Node> words = read_list(item, complaints);
      for (const Node &word : words)
        table.words.push_back(static_cast<u32>(read_number(word, kMaxWord, complaints)));
      if (words.size() != table.columns)
        complaints.add(item,
                       "a row of " + std::to_string(table.columns) + " numbers is needed here");
    }
  }
  template <class Record> void list(elf::FieldKey key, std::vector<Record> &records) const {
    const std::vector<std::string_view> keys = keys_of<Record>();
    const Node *node = find(key, {});
    for (const Node &item : node ? read_list(*node, complaints) : std::span<const Node>()) {
      const MapReader map(item, keys, complaints);
      RowReader inner{map, symbols, complaints};
      fields(inner, records.emplace_back());
    }
  }
  void bytes(elf::FieldKey key, std::vector<u8> &) const {
    row.report("needs its payload as `" + std::string(key.document) + "`");
  }
  [[nodiscard]] bool has(std::string_view key, bool) const { return row.has(key); }
  void data_only(elf::FieldKey, u64) const {}

private:
  [[nodiscard]] const Node *find(elf::FieldKey key, const elf::FieldRule &rule) const {
    const Node *node = row.find(key.document);
    if (!node && rule.presence == elf::FieldRule::Required)
      row.report("`" + std::string(key.document) + "` is missing" + std::string(instead));
    return node;
  }
};

template <class Record>
[[nodiscard]] Node row_of(Record record, const NameIndex &symbols = NameIndex()) {
  Node out = Node::map(Node::Style::Flow);
  RowWriter io{out, symbols};
  fields(io, record);
  return out;
}
template <class Record>
[[nodiscard]] Record read_row(const Node &node, Complaints &complaints,
                              const NameIndex &symbols = NameIndex(), Record out = {}) {
  const MapReader row(node, keys_of<Record>(), complaints);
  RowReader io{row, symbols, complaints};
  fields(io, out);
  return out;
}

} // namespace culink::text
