// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Facts for people: a title, a line of column titles, one line per row. Columns have fixed widths
// so that a row can be written as soon as it is known; what is too long pushes the rest of its line
// to the right. A list inside a row is indented below it.
#include <string>

#include "text/dump_sink.h"

namespace culink::text {

namespace {

constexpr u64 kBytesPerLine = 16;

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
    if (row_open_)
      end_line();
    else
      put_title(title);
    ++depth_;
  }
  void close_list() override { --depth_; }

  void headings(std::span<const Column> columns) override {
    open_row();
    for (const Column &column : columns) {
      separate(column);
      put_padded(column.title, column.width);
    }
    close_row();
  }

  void open_row() override {
    out_.fill(' ', 2 * u64{depth_});
    row_open_ = true;
    line_open_ = true;
    keyed_ = false;
    pending_ = 0;
    first_ = true;
  }
  void close_row() override {
    end_line();
    row_open_ = false;
  }

  void open_record(std::string_view, std::string_view title) override {
    put_title(title);
    ++depth_;
    record_ = true;
  }
  void close_record() override {
    --depth_;
    record_ = false;
  }

  void field(const Column &column, const Value &value) override {
    if (record_)
      open_record_line(column);
    else
      separate(column);
    TextOut text;
    put_value(text, value);
    put_padded(text.text(), record_ ? 0 : column.width);
    if (record_)
      out_.put('\n');
  }

  void values(const Column &column, std::span<const Value> values) override {
    if (record_)
      open_record_line(column);
    else
      separate(column);
    bool first = true;
    for (const Value &value : values) {
      if (!first)
        out_.put(' ');
      put_value(out_, value);
      first = false;
    }
    if (record_)
      out_.put('\n');
  }

  void bytes(const Column &column, ByteSpan bytes) override {
    if (bytes.size() <= kBytesPerLine) {
      separate(column);
      put_bytes(bytes);
      return;
    }
    end_line();
    for (u64 at = 0; at < bytes.size(); at += kBytesPerLine)
      put_dump_line(at, bytes.subspan(at, std::min<u64>(kBytesPerLine, bytes.size() - at)));
  }

private:
  void put_title(std::string_view title) {
    out_.put('\n');
    out_.fill(' ', 2 * u64{depth_});
    out_.put(title);
    out_.put('\n');
  }

  void open_record_line(const Column &column) {
    out_.fill(' ', 2 * u64{depth_});
    put_padded(column.title.empty() ? column.key : column.title, -18);
    out_.fill(' ', pending_);
    pending_ = 0;
  }

  // What stands before a value: two blanks in a table, ", key " in running text.
  void separate(const Column &column) {
    if (column.title.empty()) {
      out_.put(keyed_ ? ", " : first_ ? "" : "  ");
      if (!keyed_)
        pending_ = 0;
      out_.put(column.key);
      out_.put(' ');
      keyed_ = true;
    } else if (!first_) {
      out_.fill(' ', pending_ + 2);
      pending_ = 0;
    }
    first_ = false;
  }

  // Blanks after the text wait until something follows, so that no line ends in blanks.
  void put_padded(std::string_view text, i32 width) {
    const u64 wanted = static_cast<u64>(width < 0 ? -width : width);
    const u64 blanks = wanted > text.size() ? wanted - text.size() : 0;
    if (width > 0)
      out_.fill(' ', blanks);
    out_.put(text);
    pending_ = width < 0 ? blanks : 0;
  }

  static void put_value(TextOut &out, const Value &value) {
    switch (value.kind) {
    case Value::Kind::Number:
      out.decimal(value.number);
      break;
    case Value::Kind::Signed:
      out.decimal(static_cast<i64>(value.number));
      break;
    case Value::Kind::Hex:
      out.put("0x");
      out.hex(value.number);
      break;
    case Value::Kind::Name:
      out.name(value.text);
      break;
    case Value::Kind::Label:
      if (value.text.empty()) {
        out.put("0x");
        out.hex(value.number);
      } else {
        out.name(value.text);
      }
      break;
    case Value::Kind::Flag:
      out.put(value.number != 0 ? "yes" : "no");
      break;
    }
  }

  void put_bytes(ByteSpan bytes) {
    for (size_t i = 0; i < bytes.size(); ++i) {
      if (i != 0)
        out_.put(' ');
      out_.hex(bytes[i], 2);
    }
  }

  void put_dump_line(u64 offset, ByteSpan bytes) {
    out_.fill(' ', 2 * u64{depth_} + 2);
    out_.hex(offset, 6);
    out_.put("  ");
    put_bytes(bytes);
    out_.fill(' ', 3 * (kBytesPerLine - bytes.size()) + 2);
    for (const u8 byte : bytes)
      out_.put(byte >= 0x20 && byte < 0x7f ? static_cast<char>(byte) : '.');
    out_.put('\n');
  }

  void end_line() {
    if (line_open_)
      out_.put('\n');
    line_open_ = false;
  }

  TextOut &out_;
  u64 pending_ = 0; // blanks owed before the next value
  u32 depth_ = 0;
  bool first_file_ = true;
  bool row_open_ = false;
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
