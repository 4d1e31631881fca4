// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tables of rows that are all there before the first is written: columns are as wide as their
// values, and those that no row needs are left out.
#pragma once

#include <algorithm>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "inspect/dump/sink.h"

namespace culink::text {

struct ColumnForm {
  bool left = false; // to the left
  bool rare = false; // left out where all rows say Absent
  size_t width = 0;  // at least
};

// A column and what a row has in it. A text that is made for it is kept in `scratch`.
template <class Row> struct TableColumn {
  std::string key; // in text the title, too
  std::function<Value(const Row &row, std::string &scratch)> value;
  ColumnForm form = {};
};

template <class Row> struct Table {
  std::string key, title;
  std::vector<TableColumn<Row>> columns; // the last one takes the room it needs
  std::span<const Row> rows = {};
  const Row *total = nullptr;
  std::string total_key = {}; // in JSON
  std::string more = {};      // a line behind the rows
  bool always = false;        // has titles in text even without rows
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
