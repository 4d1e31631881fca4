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

#include "text/dump/dump_sink.h"

namespace culink::text {

namespace {

constexpr u64 kDumpBytesPerLine = 16;
constexpr i32 kRecordLabelWidth = 18;

class TextSink final : public DumpSink {
public:
  explicit TextSink(TextOut &out) : out_(out) {}

  void begin() override {}
  void end() override {}

  void begin_file(std::string_view file) override {
    if (!first_file_)
      out_.put('\n');
    first_file_ = false;
    out_.name(file);
    out_.put(":\n");
  }
  void end_file() override {}

  void open_list(std::string_view, std::string_view title) override {
    end_line();
    const u64 outer = indent();
    const bool own_line = lists_.empty() || title.empty();
    lists_.push_back({title, {}, outer + (own_line ? 2 : 4), true});
  }
  void close_list() override {
    const List list = lists_.back();
    lists_.pop_back();
    if (list.waiting && lists_.empty()) {
      put_title(list.title);
      out_.put("  none\n");
    }
  }

  void headings(std::span<const Column> columns) override { lists_.back().headings = columns; }

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

  void values(const Column &column, std::span<const Value> values) override {
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

  void labels(const Column &column, std::span<const Value> labels) override {
    values(column, labels);
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

  // The value as text, in `scratch_` or where it already is.
  std::string_view render(const Value &value) {
    switch (value.kind) {
    case Value::Kind::Number:
    case Value::Kind::Reference:
      scratch_.decimal(value.number);
      break;
    case Value::Kind::SignedHex:
      if (static_cast<i64>(value.number) < 0)
        return render_hex("-0x", 0 - value.number);
      [[fallthrough]];
    case Value::Kind::Hex:
      return render_hex("0x", value.number);
    case Value::Kind::Name:
      return keyed_ && needs_quotes(value.text) ? render_quoted(value.text)
                                                : render_name(value.text);
    case Value::Kind::Label:
      return value.text.empty() ? render_hex("0x", value.number) : render_name(value.text);
    case Value::Kind::Flag:
      return value.number != 0 ? "yes" : "no";
    case Value::Kind::Missing:
    case Value::Kind::Absent:
      return "-";
    }
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

  std::string_view render_hex(std::string_view prefix, u64 number) {
    scratch_.put(prefix);
    scratch_.hex(number);
    return scratch_.text();
  }

  std::string_view render_name(std::string_view text) {
    if (is_plain(text))
      return text;
    scratch_.name(text);
    return scratch_.text();
  }

  // In running text a comma or a blank would be taken for ours.
  static bool needs_quotes(std::string_view text) {
    return text.empty() || text.find_first_of(", ") != std::string_view::npos;
  }

  std::string_view render_quoted(std::string_view text) {
    scratch_.put('"');
    scratch_.name(text);
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
  u64 blanks_ = 0;          // owed before the next text
  std::vector<List> lists_; // open ones, outermost first
  bool first_file_ = true;
  bool line_open_ = false;
  bool record_ = false;
  bool first_ = true;  // nothing yet on this line
  bool keyed_ = false; // the last value was written as "key value"
};

} // namespace

std::unique_ptr<DumpSink> make_text_sink(TextOut &out) {
  return std::make_unique<TextSink>(out);
}

} // namespace culink::text
