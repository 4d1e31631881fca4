// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The fields of elf/records/fields.h as keys of a map, in both directions.
#pragma once

#include <algorithm>
#include <array>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "elf/records/fields.h"
#include "yaml/document/byte_lines.h"
#include "yaml/document/name_index.h"
#include "yaml/document/node_reader.h"

namespace culink::text {

// Adds the keys of a record to a map.
struct FieldWriter {
  static constexpr bool kDocument = true;
  Node &row;
  const NameIndex &symbols;
  elf::InfoShape shape = elf::InfoShape::Opaque;

  void number(elf::FieldKey key, u64 value, const elf::FieldRule &rule) {
    if (rule.presence != elf::FieldRule::Optional || value != rule.otherwise)
      row.set(key.document,
              rule.form == elf::FieldForm::Decimal ? decimal(value) : hexadecimal(value));
  }
  void symbol(elf::FieldKey key, u32 index) { row.set(key.document, symbols.reference(index)); }
  void flag(elf::FieldKey key, bool set, std::string_view, std::string_view) {
    if (set)
      row.set(key.document, "true");
  }
  void text(elf::FieldKey key, const std::string &text) { row.set(key.document, name_node(text)); }
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
      Node item = Node::map(Node::Style::Flow);
      FieldWriter inner{item, symbols};
      fields(inner, record);
      rows.add(std::move(item));
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

// Collects the keys that a record can have.
struct KeyCollector {
  static constexpr bool kDocument = true;
  std::vector<std::string_view> keys = {};

  void number(elf::FieldKey key, u64, const elf::FieldRule &) { keys.push_back(key.document); }
  void numbers(elf::FieldKey key, std::span<const u32>, const elf::FieldRule &) {
    keys.push_back(key.document);
  }
  void symbol(elf::FieldKey key, u32) { keys.push_back(key.document); }
  [[nodiscard]] bool has(std::string_view key, bool) {
    keys.push_back(key);
    return false;
  }
  void text(elf::FieldKey, const std::string &) {} // `has` was asked before
  void data_only(elf::FieldKey, u64) {}
};
template <class Record> std::vector<std::string_view> keys_of() {
  KeyCollector collector;
  Record record;
  fields(collector, record);
  return collector.keys;
}

// Fills a record from a map.
struct FieldReader {
  static constexpr bool kDocument = true;
  const MapReader &row;
  const NameIndex &symbols;
  Complaints &complaints;
  std::string_view instead = {}; // what may be given in place of a missing key
  elf::InfoShape shape = elf::InfoShape::Opaque;

  template <class Number>
  void number(elf::FieldKey key, Number &value, const elf::FieldRule &rule) const {
    constexpr u64 kMost = std::numeric_limits<Number>::max();
    const Node *node = find(key, rule);
    value = static_cast<Number>(node ? read_number(*node, std::min(rule.most, kMost), complaints)
                                     : rule.otherwise);
  }
  void symbol(elf::FieldKey key, u32 &index) const {
    if (const Node *node = find(key, {}))
      index = symbols.resolve(*node, complaints);
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
      FieldReader inner{map, symbols, complaints};
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

} // namespace culink::text
