// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Facts in four forms: text for people, JSON, comma-separated values and Markdown.
#include "inspect/dump/sink.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "support/json.h"

namespace culink::text {

// Facts as text: a title, a line of column titles, one line per row. Columns have fixed widths so
// that a row can be written at once; a value that is too long shifts the rest of its line to the
// right. A list inside a row is indented below it. Titles are written with the first row, so that
// an empty list takes one line, or none if it is part of a row.
//
// Blanks are delayed until a text follows them, so no line ends in blanks.

namespace {

constexpr u64 kDumpBytesPerLine = 16;
constexpr i32 kRecordLabelWidth = 18;

class TextSink final : public Sink {
public:
  explicit TextSink(TextOut &out) : out_(out) {}

  void begin_file(std::string_view file, std::string_view shown) override {
    if (!first_file_)
      out_.put('\n');
    first_file_ = false;
    out_.name(shown.empty() ? file : shown);
    out_.put(":\n");
  }
  void line(std::string_view text) override {
    if (!lists_.empty() && lists_.back().waiting)
      put_waiting_titles();
    if (text.empty())
      return;
    out_.put("  ");
    out_.put(text);
    out_.put('\n');
  }

  void open_list(std::string_view, std::string_view title,
                 std::span<const Column> columns) override {
    end_line();
    const u64 outer = indent();
    const bool own_line = lists_.empty() || title.empty();
    lists_.push_back({title, columns, outer + (own_line ? 2 : 4), true});
  }
  void close_list() override {
    const List list = lists_.back();
    lists_.pop_back();
    if (list.waiting && lists_.empty()) {
      put_title(list.title);
      out_.put("  none\n");
    }
  }

  void open_row() override {
    if (lists_.back().waiting)
      put_waiting_titles();
    begin_line(indent());
  }
  void continue_row() override {
    end_line();
    begin_line(indent() + 2);
  }
  void close_row() override { end_line(); }
  void open_total(std::string_view) override { begin_line(2); }
  void close_total() override { end_line(); }

  void open_record(std::string_view, std::string_view title) override {
    put_title(title);
    record_ = true;
  }
  void close_record() override { record_ = false; }

  void field(const Column &column, const Value &value) override {
    begin_value(column);
    scratch_.clear();
    put_padded(render(value), column.width);
    end_value();
  }

  void values(const Column &column, std::span<const Value> values, bool) override {
    begin_value(column);
    for (const Value &value : values) {
      scratch_.clear();
      put_padded(render(value), 0);
      blanks_ = 1;
    }
    end_value();
  }

  void bytes(const Column &column, ByteSpan bytes) override {
    if (bytes.size() <= kDumpBytesPerLine) {
      begin_value(column);
      put_bytes(bytes);
      end_value();
      return;
    }
    end_line();
    for (u64 at = 0; at < bytes.size(); at += kDumpBytesPerLine)
      put_dump_line(at, bytes.subspan(at, std::min<u64>(kDumpBytesPerLine, bytes.size() - at)));
  }

private:
  struct List {
    std::string_view title;
    std::span<const Column> headings;
    u64 indent;   // of its rows
    bool waiting; // title and headings are not written yet
  };

  [[nodiscard]] u64 indent() const { return lists_.empty() ? 0 : lists_.back().indent; }

  void begin_line(u64 blanks) {
    blanks_ = blanks;
    line_open_ = true;
    keyed_ = false;
    first_ = true;
  }

  void put_title(std::string_view title) {
    out_.put('\n');
    out_.put(title);
    out_.put('\n');
  }

  void put_waiting_titles() {
    List &list = lists_.back();
    list.waiting = false;
    if (lists_.size() == 1) {
      put_title(list.title);
    } else if (!list.title.empty()) {
      begin_line(list.indent - 2);
      put(list.title);
      end_line();
    }
    if (list.headings.empty())
      return;
    begin_line(list.indent);
    for (const Column &column : list.headings)
      if (!column.title.empty()) {
        separate(column);
        put_padded(column.title, column.width);
      }
    end_line();
  }

  void begin_value(const Column &column) {
    if (!record_)
      return separate(column);
    begin_line(2);
    put_padded(column.title.empty() ? column.key : column.title, -kRecordLabelWidth);
  }

  void end_value() {
    if (record_)
      end_line();
  }

  // Writes the text before a value: two blanks in a table, ", key " in running text.
  void separate(const Column &column) {
    if (column.title.empty()) {
      if (keyed_)
        put(",");
      blanks_ += keyed_ ? 1 : first_ ? 0 : 2;
      put(column.key);
      blanks_ = 1;
      keyed_ = true;
    } else if (!first_) {
      blanks_ += 2;
      keyed_ = false;
    }
    first_ = false;
  }

  // Writes the delayed blanks, then the text.
  void put(std::string_view text) {
    if (text.empty())
      return;
    out_.fill(' ', blanks_);
    blanks_ = 0;
    out_.put(text);
  }

  void put_padded(std::string_view text, i32 width) {
    const u64 wanted = static_cast<u64>(width < 0 ? -width : width);
    const u64 padding = wanted > text.size() ? wanted - text.size() : 0;
    if (width > 0)
      blanks_ += padding;
    put(text);
    if (width < 0)
      blanks_ += padding;
  }

  // Quotes a name in running text that contains a comma or a blank, which are separators there.
  std::string_view render(const Value &value) {
    const bool quoted = keyed_ && value.kind == Value::Kind::Name &&
                        (value.text.empty() || value.text.find_first_of(", ") != value.text.npos);
    if (!quoted)
      return text_of(value, scratch_);
    scratch_.put('"');
    scratch_.name(value.text);
    scratch_.put('"');
    return scratch_.text();
  }

  void put_bytes(ByteSpan bytes) {
    for (const u8 byte : bytes) {
      scratch_.clear();
      scratch_.hex(byte, 2);
      put(scratch_.text());
      blanks_ = 1;
    }
  }

  void put_dump_line(u64 offset, ByteSpan bytes) {
    out_.fill(' ', indent() + 2);
    out_.hex(offset, 6);
    blanks_ = 2;
    put_bytes(bytes);
    out_.fill(' ', 3 * (kDumpBytesPerLine - bytes.size()) + 2);
    for (const u8 byte : bytes)
      out_.put(byte >= 0x20 && byte < 0x7f ? static_cast<char>(byte) : '.');
    out_.put('\n');
    blanks_ = 0;
  }

  void end_line() {
    if (line_open_)
      out_.put('\n');
    line_open_ = false;
    blanks_ = 0;
  }

  TextOut &out_;
  TextOut scratch_;
  u64 blanks_ = 0;          // delayed until the next text
  std::vector<List> lists_; // open ones, outermost first
  bool first_file_ = true;
  bool line_open_ = false;
  bool record_ = false;
  bool first_ = true;  // nothing yet on this line
  bool keyed_ = false; // the last value was written as "key value"
};

std::string_view hex_text(std::string_view prefix, u64 number, TextOut &scratch) {
  scratch.put(prefix);
  scratch.hex(number);
  return scratch.text();
}

std::string_view name_text(std::string_view text, TextOut &scratch) {
  if (is_plain(text))
    return text;
  scratch.name(text);
  return scratch.text();
}

} // namespace

std::string_view text_of(const Value &value, TextOut &scratch) {
  switch (value.kind) {
  case Value::Kind::Number:
  case Value::Kind::Reference:
    scratch.decimal(value.number);
    break;
  case Value::Kind::Signed:
    scratch.decimal(static_cast<i64>(value.number));
    break;
  case Value::Kind::SignedHex:
    if (static_cast<i64>(value.number) < 0)
      return hex_text("-0x", 0 - value.number, scratch);
    [[fallthrough]];
  case Value::Kind::Hex:
    return hex_text("0x", value.number, scratch);
  case Value::Kind::Name:
  case Value::Kind::List:
    return name_text(value.text, scratch);
  case Value::Kind::Label:
    return value.text.empty() ? hex_text("0x", value.number, scratch)
                              : name_text(value.text, scratch);
  case Value::Kind::Flag:
    return value.number != 0 ? "yes" : "no";
  case Value::Kind::Missing:
  case Value::Kind::Absent:
    return "-";
  case Value::Kind::Blank:
    break;
  }
  return scratch.text();
}

// Facts as JSON, written at once: no document is built, so memory use does not depend on the size
// of the file. A row is one line, which keeps the output readable and suitable for diff. Strings
// are the printable form of the file's bytes, and therefore always valid UTF-8.

namespace {

class JsonSink final : public Sink {
public:
  explicit JsonSink(TextOut &out) : out_(out), json_(out, true) {}

  void begin() override { json_.open('['); }
  void end() override {
    json_.close(']', true);
    out_.put('\n');
  }

  void begin_file(std::string_view file, std::string_view) override {
    json_.open('{', true);
    put("file", name(file));
  }
  void end_file() override { json_.close('}', true); }
  void fact(std::string_view key, const Value &value) override { put(key, value); }

  void open_list(std::string_view key, std::string_view, std::span<const Column>) override {
    json_.key(key, lists_++ == 0);
    json_.open('[');
  }
  void close_list() override { json_.close(']', --lists_ == 0); }

  void open_row() override { json_.open('{', true); }
  void close_row() override { json_.close('}'); }
  void open_total(std::string_view key) override { open_record(key, ""); }
  void close_total() override { close_record(); }

  void open_record(std::string_view key, std::string_view) override {
    json_.key(key, true);
    json_.open('{');
  }
  void close_record() override { json_.close('}'); }

  void field(const Column &column, const Value &value) override {
    if (value.kind == Value::Kind::Absent)
      return;
    json_.key(column.key);
    put_value(value);
    if (value.kind == Value::Kind::Label || value.kind == Value::Kind::Reference) {
      json_.key(std::string(column.key) + "_name");
      put_label_name(value);
    }
  }

  void values(const Column &column, std::span<const Value> values, bool named) override {
    json_.key(column.key);
    json_.open('[');
    for (const Value &value : values)
      put_value(value);
    json_.close(']');
    if (!named)
      return;
    json_.key(std::string(column.key) + "_name");
    json_.open('[');
    for (const Value &label : values)
      put_label_name(label);
    json_.close(']');
  }

  void bytes(const Column &column, ByteSpan bytes) override {
    json_.key(column.key);
    json_.word("\"");
    for (const u8 byte : bytes)
      out_.hex(byte, 2);
    out_.put('"');
  }

private:
  void put_text(std::string_view text) {
    if (is_plain(text))
      json_.text(text);
    else
      json_.text(printable(text));
  }

  void put_label_name(const Value &value) {
    if (value.text.empty())
      json_.word("null");
    else
      put_text(value.text);
  }

  void put_value(const Value &value) {
    switch (value.kind) {
    case Value::Kind::Number:
    case Value::Kind::Hex:
    case Value::Kind::Label:
    case Value::Kind::Reference:
      return json_.number(value.number);
    case Value::Kind::Signed:
    case Value::Kind::SignedHex:
      return json_.number(static_cast<i64>(value.number));
    case Value::Kind::Name:
      return put_text(value.text);
    case Value::Kind::Flag:
      return json_.word(value.number != 0 ? "true" : "false");
    case Value::Kind::List:
      return put_list(value.text);
    case Value::Kind::Missing:
    case Value::Kind::Absent:
    case Value::Kind::Blank:
      return json_.word("null");
    }
  }

  void put_list(std::string_view numbers) {
    json_.open('[');
    for (size_t end = 0; !numbers.empty();
         numbers.remove_prefix(std::min(end + 1, numbers.size()))) {
      end = std::min(numbers.find(' '), numbers.size());
      json_.word(numbers.substr(0, end));
    }
    json_.close(']');
  }

  TextOut &out_;
  JsonWriter json_;
  u32 lists_ = 0; // open ones
};

} // namespace

// Facts as tables. CSV, for spreadsheets and data frames: a line with the keys of the columns and a
// line for each row. Markdown, for documents.
//
// A list without columns has rows of different form, such as the sections of a dump. Lists in such
// a row are tables; each of their lines begins with the values of the row. A row without lists is
// one line. Values without a column share one cell, "key value, key value", as in text, and so do
// lists at deeper levels. A value that the file does not record is an empty field.

namespace {

constexpr Column kRecordColumns[] = {{"key", "key"}, {"value", "value"}};

// Returns a field of comma-separated values, in quotes if necessary.
std::string csv_field(std::string_view text) {
  if (text.find_first_of(",\"\n\r") == std::string_view::npos)
    return std::string(text);
  std::string out = "\"";
  for (const char c : text)
    out += c == '"' ? "\"\"" : std::string(1, c);
  return out + "\"";
}

// Returns a name from a file for such a field: printable, with a leading character that would begin
// a formula in a spreadsheet replaced by its number.
std::string csv_name(std::string_view bytes) {
  const bool formula =
      !bytes.empty() && std::string_view("=+-@").find(bytes.front()) != std::string_view::npos;
  return formula ? fmt::format("\\x{:02x}{}", static_cast<u8>(bytes.front()),
                               printable(bytes.substr(1)))
                 : printable(bytes);
}

// Returns a cell of Markdown; characters of markup are escaped.
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
  // An open list and its open row.
  struct Level {
    std::string key;
    std::string title;
    std::span<const Column> columns;
    std::vector<std::string> keys = {};  // of the cells
    std::vector<std::string> cells = {}; // of the row
    std::string rest = {};               // values of the row without a column
    bool has_lists = false;              // the lines of the lists replace that of the row
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

  // Returns the keys or the cells of all levels. A list without columns has a cell for the rest.
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

  // Writes the keys of the columns, unless the line continues the last table.
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

  // Numbers in CSV are decimal.
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
  std::vector<Level> levels_; // open tables, outermost first
  u32 inner_ = 0;             // lists inside a cell
  std::string_view separator_;
  std::string table_; // the last one
  std::vector<std::string> header_;
  bool first_ = true;
  bool in_record_ = false;
};

} // namespace

std::unique_ptr<Sink> make_sink(Format format, TextOut &out) {
  switch (format) {
  case Format::Text:
    return std::make_unique<TextSink>(out);
  case Format::Json:
    return std::make_unique<JsonSink>(out);
  case Format::Csv:
  case Format::Markdown:
    break;
  }
  return std::make_unique<TableSink>(out, format == Format::Markdown);
}

} // namespace culink::text
