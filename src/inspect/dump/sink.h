// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The destination of facts about a file. A dump passes them once, as lists of rows of named values;
// one sink writes text, others JSON, comma-separated values or Markdown tables. So all formats have
// the same contents by construction.
#pragma once

#include <algorithm>
#include <functional>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "support/text_out.h"
#include "support/types.h"

namespace culink::text {

// One value. Texts are borrowed and must stay valid until the call returns.
struct Value {
  enum class Kind : u8 {
    Number,    // decimal
    Hex,       // text: 0x..; JSON: a number
    Signed,    // decimal
    SignedHex, // text: -0x..
    Name,      // a string from the file or from our tables
    Label,     // a number that has a name, known or unknown
    Reference, // a number of an entry in another table, which has its name
    Flag,      // true or false
    List,      // numbers with blanks between them: in JSON an array
    Missing,   // the file does not record it: text "-", JSON null
    Blank,     // empty: text "", JSON null
    Absent,    // this row does not have the value: text "-", JSON nothing
  };
  Kind kind = Kind::Number;
  u64 number = 0;
  std::string_view text;
};

[[nodiscard]] constexpr Value number(u64 v) {
  return {Value::Kind::Number, v, {}};
}
[[nodiscard]] constexpr Value hex(u64 v) {
  return {Value::Kind::Hex, v, {}};
}
[[nodiscard]] constexpr Value signed_hex(i64 v) {
  return {Value::Kind::SignedHex, static_cast<u64>(v), {}};
}
[[nodiscard]] constexpr Value signed_number(i64 v) {
  return {Value::Kind::Signed, static_cast<u64>(v), {}};
}
[[nodiscard]] constexpr Value name(std::string_view text) {
  return {Value::Kind::Name, 0, text};
}
[[nodiscard]] constexpr Value flag(bool v) {
  return {Value::Kind::Flag, v ? u64{1} : u64{0}, {}};
}
[[nodiscard]] constexpr Value missing() {
  return {Value::Kind::Missing, 0, {}};
}
[[nodiscard]] constexpr Value name_or_missing(std::string_view text) {
  return text.empty() ? missing() : name(text);
}
[[nodiscard]] constexpr Value absent() {
  return {Value::Kind::Absent, 0, {}};
}
// Text: the name, or 0xNN if it is empty. JSON: "key": number, and "key_name": name or null.
[[nodiscard]] constexpr Value label(u64 v, std::string_view text) {
  return {Value::Kind::Label, v, text};
}
// Text: the number. JSON: a label.
[[nodiscard]] constexpr Value reference(u64 v, std::string_view text) {
  return {Value::Kind::Reference, v, text};
}

// The name and place of a value. Columns with a title are columns of a table; the others are
// written as "key value".
struct Column {
  std::string_view key;   // in JSON
  std::string_view title; // in text
  i32 width = 0;          // negative: left-aligned; 0: not padded
};

class Sink {
public:
  Sink() = default;
  Sink(const Sink &) = delete;
  Sink &operator=(const Sink &) = delete;
  virtual ~Sink() = default;

  // The whole output: one entry per file. Text shows `shown` in place of the name.
  virtual void begin() {}
  virtual void end() {}
  virtual void begin_file(std::string_view file, std::string_view shown = {}) = 0;
  virtual void end_file() {}
  // A fact about the file that only machine-readable formats write.
  virtual void fact(std::string_view /*key*/, const Value & /*value*/) {}
  // A line that only text has.
  virtual void line(std::string_view /*text*/) {}

  // A list of rows. Inside a row it belongs to that row, and its title may be empty. `columns` must
  // outlive the list; if there are none, the rows differ in form.
  virtual void open_list(std::string_view key, std::string_view title,
                         std::span<const Column> columns = {}) = 0;
  virtual void close_list() = 0;
  virtual void open_row() = 0;
  // Text: the rest of the row starts a new line.
  virtual void continue_row() {}
  virtual void close_row() = 0;
  // The sum of the rows of the table that was just closed: another row, in JSON a record.
  virtual void open_total(std::string_view /*key*/) {}
  virtual void close_total() {}

  // A group of values; text has one per line.
  virtual void open_record(std::string_view key, std::string_view title) = 0;
  virtual void close_record() = 0;

  // A value of the open row or record.
  virtual void field(const Column &column, const Value &value) = 0;
  // Several values in a column without a width. With `named` they are labels: JSON then always has
  // "key_name", even for an empty list.
  virtual void values(const Column &column, std::span<const Value> values, bool named = false) = 0;
  // Bytes in hexadecimal: in the row's line if there are few, else as a dump.
  virtual void bytes(const Column &column, ByteSpan bytes) = 0;

  // Writes a value that text shows as "key value".
  void put(std::string_view key, const Value &value) { field({key, ""}, value); }
  // Writes a list with a row for each item; `put_item` writes the values of the row.
  void list(std::string_view key, std::string_view title, const auto &items, const auto &put_item) {
    open_list(key, title);
    for (const auto &item : items) {
      open_row();
      put_item(item);
      close_row();
    }
    close_list();
  }
  // Writes cells of the open row, from the first column on.
  void cells(std::span<const Column> columns, std::initializer_list<Value> values) {
    for (const Value &value : values)
      field(columns[static_cast<size_t>(&value - values.begin())], value);
  }
  void row(std::span<const Column> columns, std::initializer_list<Value> values) {
    open_row();
    cells(columns, values);
    close_row();
  }
};

// CSV: tables of comma-separated values (RFC 4180).
enum class Format : u8 { Text, Json, Csv, Markdown };

[[nodiscard]] std::unique_ptr<Sink> make_sink(Format format, TextOut &out);

// Returns the text form of a value, in `scratch` or where it already is.
[[nodiscard]] std::string_view text_of(const Value &value, TextOut &scratch);

// Tables whose rows are all known before the first is written: columns are as wide as their values,
// and those that are empty in all rows are left out.

struct ColumnForm {
  bool left = false; // left-aligned
  bool rare = false; // left out if the value is Absent in all rows
  size_t width = 0;  // minimum
};

// A column and its value in a row. `scratch` keeps a text that is made for the value.
template <class Row> struct TableColumn {
  std::string key; // also the title in text
  std::function<Value(const Row &row, std::string &scratch)> value;
  ColumnForm form = {};
};

template <class Row> struct Table {
  std::string key, title;
  std::vector<TableColumn<Row>> columns; // the last one is as wide as its values
  std::span<const Row> rows = {};
  const Row *total = nullptr;
  std::string total_key = {}; // in JSON
  std::string more = {};      // a line after the rows
  bool always = false;        // text shows the titles even without rows
};

template <class Row> void write_table(const Table<Row> &table, Sink &sink) {
  std::string scratch;
  std::vector<const TableColumn<Row> *> chosen;
  std::vector<Column> columns;
  for (const TableColumn<Row> &column : table.columns) {
    size_t width = std::max(column.key.size(), column.form.width);
    bool needed = !column.form.rare;
    const bool last = &column == &table.columns.back();
    const auto measure = [&](const Row &row) {
      const Value value = column.value(row, scratch);
      TextOut text;
      width = std::max(width, text_of(value, text).size());
      needed = needed || value.kind != Value::Kind::Absent;
    };
    if (!last)
      std::ranges::for_each(table.rows, measure);
    if (!last && table.total)
      measure(*table.total);
    if (!needed)
      continue;
    const i32 wide = last ? 0 : static_cast<i32>(width);
    columns.push_back({column.key, column.key, column.form.left ? -wide : wide});
    chosen.push_back(&column);
  }
  const auto put = [&](const Row &row) {
    for (size_t i = 0; i < chosen.size(); ++i)
      sink.field(columns[i], chosen[i]->value(row, scratch));
  };
  sink.open_list(table.key, table.title, columns);
  for (const Row &row : table.rows) {
    sink.open_row();
    put(row);
    sink.close_row();
  }
  if (table.always || !table.more.empty())
    sink.line(table.more);
  sink.close_list();
  if (!table.total)
    return;
  sink.open_total(table.total_key);
  put(*table.total);
  sink.close_total();
}

} // namespace culink::text
