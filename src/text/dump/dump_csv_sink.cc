// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows for spreadsheets and data frames: a line with the keys of the columns, then a line for each
// row. Commands that offer it have one list; what is around the list is not data of this table and
// is left out. What a file does not say is an empty field.
#include <string>

#include <fmt/format.h>

#include "text/dump/dump_sink.h"

namespace culink::text {

namespace {

class CsvSink final : public DumpSink {
public:
  explicit CsvSink(TextOut &out) : out_(out) {}

  void begin() override {}
  void end() override {}
  void begin_file(std::string_view) override {}
  void end_file() override {}
  void open_list(std::string_view, std::string_view) override {}
  void close_list() override {}

  void headings(std::span<const Column> columns) override {
    for (const Column &column : columns)
      put_next(column.key);
    end_line();
  }
  void open_row() override { in_row_ = true; }
  void continue_row() override {}
  void close_row() override {
    in_row_ = false;
    end_line();
  }
  void open_record(std::string_view, std::string_view) override {}
  void close_record() override {}

  void field(const Column &, const Value &value) override {
    if (in_row_)
      put_next(text_of(value));
  }
  void values(const Column &, std::span<const Value> values) override {
    std::string text;
    for (const Value &value : values)
      text += (text.empty() ? "" : " ") + text_of(value);
    if (in_row_)
      put_next(text);
  }
  void labels(const Column &column, std::span<const Value> labels) override {
    values(column, labels);
  }
  void bytes(const Column &, ByteSpan) override {}

private:
  static std::string text_of(const Value &value) {
    switch (value.kind) {
    case Value::Kind::Number:
    case Value::Kind::Hex:
    case Value::Kind::Reference:
      return std::to_string(value.number);
    case Value::Kind::SignedHex:
      return std::to_string(static_cast<i64>(value.number));
    case Value::Kind::Label:
      return value.text.empty() ? std::to_string(value.number) : std::string(value.text);
    case Value::Kind::Name:
      return csv_name(value.text);
    case Value::Kind::Flag:
      return value.number != 0 ? "true" : "false";
    case Value::Kind::Missing:
    case Value::Kind::Absent:
      break;
    }
    return {};
  }

  void put_next(std::string_view text) {
    if (!first_)
      out_.put(',');
    first_ = false;
    out_.put(csv_field(text));
  }

  void end_line() {
    out_.put('\n');
    first_ = true;
  }

  TextOut &out_;
  bool first_ = true; // of its line
  bool in_row_ = false;
};

} // namespace

std::string csv_field(std::string_view text) {
  if (text.find_first_of(",\"\n\r") == std::string_view::npos)
    return std::string(text);
  std::string out = "\"";
  for (const char c : text)
    out += c == '"' ? "\"\"" : std::string(1, c);
  return out + "\"";
}

std::string csv_name(std::string_view bytes) {
  const bool formula =
      !bytes.empty() && std::string_view("=+-@").find(bytes.front()) != std::string_view::npos;
  return formula ? fmt::format("\\x{:02x}{}", static_cast<u8>(bytes.front()),
                               printable(bytes.substr(1)))
                 : printable(bytes);
}

std::unique_ptr<DumpSink> make_csv_sink(TextOut &out) {
  return std::make_unique<CsvSink>(out);
}

} // namespace culink::text
