// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Facts as tables: for spreadsheets and data frames as comma-separated values, a line with the keys
// of the columns and a line for each row; for documents as Markdown.
//
// A list without columns has rows of different form, such as the sections of a dump. Lists in such
// a row are tables, whose lines begin with what the row itself says; a row without lists is a line.
// Values without a column follow as one cell, "key value, key value", as text has them, and so do
// lists further inside. What a file does not say is an empty field.
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "inspect/dump/sink.h"

namespace culink::text {

namespace {

constexpr Column kRecordColumns[] = {{"key", "key"}, {"value", "value"}};

// A field of comma-separated values, in quotes where it has to be.
std::string csv_field(std::string_view text) {
  if (text.find_first_of(",\"\n\r") == std::string_view::npos)
    return std::string(text);
  std::string out = "\"";
  for (const char c : text)
    out += c == '"' ? "\"\"" : std::string(1, c);
  return out + "\"";
}

// A name from a file for such a field: printable, and the sign with which spreadsheets begin a
// formula as a number.
std::string csv_name(std::string_view bytes) {
  const bool formula =
      !bytes.empty() && std::string_view("=+-@").find(bytes.front()) != std::string_view::npos;
  return formula ? fmt::format("\\x{:02x}{}", static_cast<u8>(bytes.front()),
                               printable(bytes.substr(1)))
                 : printable(bytes);
}

// A cell of Markdown: what would be markup there stays text.
std::string markdown_cell(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (std::string_view("|\\`*_<>[]&").find(c) != std::string_view::npos)
      out += '\\';
    out += c;
  }
  return out;
}

class TableSink final : public Sink {
public:
  TableSink(TextOut &out, bool markdown) : out_(out), markdown_(markdown) {}

  void begin_file(std::string_view file, std::string_view shown) override {
    file_ = file;
    if (!markdown_)
      return;
    header_.clear();
    put_title("#", shown.empty() ? file : shown);
  }

  void open_list(std::string_view key, std::string_view title,
                 std::span<const Column> columns) override {
    if (inner_ != 0 || (!levels_.empty() && !levels_.back().columns.empty())) {
      ++inner_;
      return;
    }
    if (!levels_.empty())
      levels_.back().has_lists = true;
    Level &level = levels_.emplace_back(Level{std::string(key), std::string(title), columns});
    for (const Column &column : columns)
      level.keys.emplace_back(column.key);
    if (!columns.empty())
      put_header();
  }
  void close_list() override {
    if (inner_ == 0)
      levels_.pop_back();
    else if (--inner_ == 0 && !levels_.back().columns.empty())
      levels_.back().cells.push_back(levels_.back().rest);
  }
  void open_row() override {
    Level &level = levels_.back();
    if (inner_ == 0)
      level = {std::move(level.key), std::move(level.title), level.columns,
               level.columns.empty() ? std::vector<std::string>() : std::move(level.keys)};
    separator_ = level.rest.empty() ? "" : "; ";
  }
  void close_row() override {
    if (inner_ == 0 && !levels_.back().has_lists)
      put_row();
  }

  void open_record(std::string_view key, std::string_view title) override {
    open_list(key, title, kRecordColumns);
    in_record_ = true;
  }
  void close_record() override {
    in_record_ = false;
    close_list();
  }

  void field(const Column &column, const Value &value) override {
    add(column, cell_of(value), value.kind == Value::Kind::Name);
  }
  void values(const Column &column, std::span<const Value> values, bool) override {
    std::string text;
    for (const Value &value : values)
      text += (text.empty() ? "" : " ") + cell_of(value);
    add(column, std::move(text), false);
  }
  void bytes(const Column &column, ByteSpan bytes) override {
    TextOut text;
    for (const u8 byte : bytes)
      text.hex(byte, 2);
    add(column, text.text(), false);
  }

private:
  // An open list and the row of it that is open.
  struct Level {
    std::string key;
    std::string title;
    std::span<const Column> columns;
    std::vector<std::string> keys = {};  // of the cells
    std::vector<std::string> cells = {}; // of the row
    std::string rest = {};               // its values without a column
    bool has_lists = false;              // whose lines stand for it
  };

  void add(const Column &column, std::string text, bool is_name) {
    if (levels_.empty())
      return;
    Level &level = levels_.back();
    if (in_record_) {
      level.cells = {std::string(column.key), std::move(text)};
      return put_row();
    }
    if (inner_ == 0 && (!level.columns.empty() || !column.title.empty())) {
      if (level.columns.empty())
        level.keys.emplace_back(column.key);
      level.cells.push_back(std::move(text));
      return;
    }
    level.rest += separator_;
    if (column.title.empty())
      level.rest += std::string(column.key) + " ";
    const bool quoted = is_name && text.find_first_of(", ") != std::string::npos;
    level.rest += quoted ? '"' + text + '"' : text;
    separator_ = column.title.empty() ? ", " : " ";
  }

  // What a line has of all levels: keys, or cells. A list without columns has a cell for the rest.
  [[nodiscard]] std::vector<std::string> line_of(bool keys) const {
    std::vector<std::string> out;
    if (!markdown_ && !file_.empty())
      out.push_back(keys ? "file" : csv_name(file_));
    for (const Level &level : levels_) {
      const bool outer = keys && &level != &levels_.back();
      for (const std::string &text : keys ? level.keys : level.cells)
        out.push_back(outer ? level.key + "." + text : text);
      if (level.columns.empty())
        out.push_back(keys ? level.key : level.rest);
    }
    return out;
  }

  void put_row() {
    levels_.back().cells.resize(levels_.back().keys.size());
    put_header();
    put_line(line_of(false));
  }

  // The keys of the columns, unless the table goes on.
  void put_header() {
    std::vector<std::string> keys = line_of(true);
    if (keys == header_ && levels_.back().key == table_)
      return;
    table_ = levels_.back().key;
    if (markdown_)
      put_title("##", levels_.back().title.empty() ? levels_.front().title : levels_.back().title);
    put_line(keys);
    if (markdown_)
      put_line(std::vector<std::string>(keys.size(), "---"));
    header_ = std::move(keys);
  }

  void put_title(std::string_view mark, std::string_view title) {
    out_.put(std::exchange(first_, false) ? "" : "\n");
    out_.put(mark);
    out_.put(' ');
    out_.put(markdown_cell(printable(title)));
    out_.put(mark == "#" ? "\n" : "\n\n");
  }

  void put_line(const std::vector<std::string> &cells) {
    for (size_t i = 0; i < cells.size(); ++i) {
      out_.put(markdown_ ? (i == 0 ? "| " : " | ") : i == 0 ? "" : ",");
      out_.put(markdown_ ? markdown_cell(cells[i]) : csv_field(cells[i]));
    }
    out_.put(markdown_ ? " |\n" : "\n");
  }

  // Numbers of CSV are decimal.
  [[nodiscard]] std::string cell_of(const Value &value) const {
    using Kind = Value::Kind;
    if (value.kind == Kind::Missing || value.kind == Kind::Absent)
      return {};
    if (!markdown_ && value.kind == Kind::Name)
      return csv_name(value.text);
    if (!markdown_ && value.kind == Kind::Flag)
      return value.number != 0 ? "true" : "false";
    if (!markdown_ && value.kind == Kind::Hex)
      return std::to_string(value.number);
    if (!markdown_ && value.kind == Kind::SignedHex)
      return std::to_string(static_cast<i64>(value.number));
    TextOut scratch;
    return std::string(text_of(value, scratch));
  }

  TextOut &out_;
  bool markdown_;
  std::string file_;
  std::vector<Level> levels_; // open tables, the rows around them first
  u32 inner_ = 0;             // lists inside a cell
  std::string_view separator_;
  std::string table_; // the last one
  std::vector<std::string> header_;
  bool first_ = true;
  bool in_record_ = false;
};

} // namespace

std::unique_ptr<Sink> make_table_sink(TextOut &out, bool markdown) {
  return std::make_unique<TableSink>(out, markdown);
}

} // namespace culink::text
