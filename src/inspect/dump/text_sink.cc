// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Facts for people: a title, a line of column titles, one line per row. Columns have fixed widths
// so that a row can be written as soon as it is known; what is too long pushes the rest of its line
// to the right. A list inside a row is indented below it. Titles wait for the first row, so that an
// empty list takes one line, or none when it is part of a row.
//
// Blanks are owed, not written: they come out when something follows, so no line ends in them.
#include <algorithm>
#include <string>
#include <vector>

#include "inspect/dump/sink.h"

namespace culink::text {

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
    if (column.width != 0) {
      put_padded(joined(values), column.width);
      return end_value();
    }
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
    bool waiting; // title and headings are still to be written
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

  // The text before a value: two blanks in a table, ", key " in running text.
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

  // Pays the blanks, then writes.
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

  // In running text a comma or a blank would be taken for ours.
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

  // Values of a column: "64 1 1".
  std::string joined(std::span<const Value> values) {
    std::string out;
    for (const Value &value : values) {
      scratch_.clear();
      out += (out.empty() ? "" : " ") + std::string(render(value));
    }
    return out;
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
  u64 blanks_ = 0;          // owed before the next text
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

std::unique_ptr<Sink> make_text_sink(TextOut &out) {
  return std::make_unique<TextSink>(out);
}

std::unique_ptr<Sink> make_sink(Format format, TextOut &out) {
  switch (format) {
  case Format::Text:
    return make_text_sink(out);
  case Format::Json:
    return make_json_sink(out);
  case Format::Csv:
  case Format::Markdown:
    break;
  }
  return make_table_sink(out, format == Format::Markdown);
}

} // namespace culink::text
