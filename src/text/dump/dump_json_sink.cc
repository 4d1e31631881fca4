// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Facts as JSON, written as they come: no document is built, so memory does not grow with the
// file. One row is one line, which keeps the output readable and lets diff work on it. Strings are
// the printable form of the file's bytes, therefore always valid UTF-8.
#include <string>

#include "text/dump/dump_sink.h"

namespace culink::text {

namespace {

class JsonSink final : public DumpSink {
public:
  explicit JsonSink(TextOut &out) : out_(out) {}

  void begin() override { open('['); }
  void end() override {
    close(']', true);
    out_.put('\n');
  }

  void begin_file(std::string_view file) override {
    next(true);
    open('{');
    field({"file", "", 0}, name(file));
  }
  void end_file() override { close('}', true); }

  void open_list(std::string_view key, std::string_view) override {
    next(depth_ <= kFileDepth);
    put_key(key);
    open('[');
  }
  void close_list() override { close(']', depth_ <= kFileDepth + 1); }

  void headings(std::span<const Column>) override {}

  void open_row() override {
    next(true);
    open('{');
  }
  void continue_row() override {}
  void close_row() override { close('}', false); }

  void open_record(std::string_view key, std::string_view) override {
    next(true);
    put_key(key);
    open('{');
  }
  void close_record() override { close('}', false); }

  void field(const Column &column, const Value &value) override {
    if (value.kind == Value::Kind::Absent)
      return;
    next(false);
    put_key(column.key);
    if (has_name(value))
      put_label(column.key, value);
    else
      put_value(value);
  }

  void values(const Column &column, std::span<const Value> values) override {
    next(false);
    put_key(column.key);
    put_array(values, false);
  }

  void labels(const Column &column, std::span<const Value> labels) override {
    values(column, labels);
    next(false);
    put_key(std::string(column.key) + "_name");
    put_array(labels, true);
  }

  void bytes(const Column &column, ByteSpan bytes) override {
    next(false);
    put_key(column.key);
    out_.put('"');
    for (const u8 byte : bytes) {
      out_.hex(byte, 2);
    }
    out_.put('"');
  }

private:
  // Whether a second key carries the value's name.
  static bool has_name(const Value &value) {
    return value.kind == Value::Kind::Label || value.kind == Value::Kind::Reference;
  }

  static constexpr u32 kFileDepth = 2; // values of a file are inside [ {

  void open(char bracket) {
    out_.put(bracket);
    ++depth_;
    first_ = true;
  }

  void close(char bracket, bool own_line) {
    --depth_;
    if (own_line && !first_)
      new_line();
    out_.put(bracket);
    first_ = false;
  }

  void next(bool own_line) {
    if (!first_)
      out_.put(own_line ? "," : ", ");
    if (own_line)
      new_line();
    first_ = false;
  }

  void new_line() {
    out_.put('\n');
    out_.fill(' ', depth_);
  }

  void put_string(std::string_view text) {
    out_.put('"');
    if (is_plain(text) && text.find('"') == std::string_view::npos)
      out_.put(text);
    else
      for (const char c : printable(text)) { // no control characters are left
        if (c == '"' || c == '\\')
          out_.put('\\');
        out_.put(c);
      }
    out_.put('"');
  }

  void put_key(std::string_view key) {
    put_string(key);
    out_.put(": ");
  }

  void put_value(const Value &value) {
    switch (value.kind) {
    case Value::Kind::Number:
    case Value::Kind::Hex:
    case Value::Kind::Label:
    case Value::Kind::Reference:
      out_.decimal(value.number);
      break;
    case Value::Kind::SignedHex:
      out_.decimal(static_cast<i64>(value.number));
      break;
    case Value::Kind::Name:
      put_string(value.text);
      break;
    case Value::Kind::Flag:
      out_.put(value.number != 0 ? "true" : "false");
      break;
    case Value::Kind::Missing:
    case Value::Kind::Absent:
      out_.put("null");
      break;
    }
  }

  void put_label_name(const Value &value) {
    if (value.text.empty())
      out_.put("null");
    else
      put_string(value.text);
  }

  void put_label(std::string_view key, const Value &value) {
    out_.decimal(value.number);
    out_.put(", \"");
    out_.put(key);
    out_.put("_name\": ");
    put_label_name(value);
  }

  void put_array(std::span<const Value> values, bool names) {
    out_.put('[');
    for (size_t i = 0; i < values.size(); ++i) {
      if (i != 0)
        out_.put(", ");
      if (names)
        put_label_name(values[i]);
      else
        put_value(values[i]);
    }
    out_.put(']');
  }

  TextOut &out_;
  u32 depth_ = 0;
  bool first_ = true; // nothing yet in the innermost bracket
};

} // namespace

std::unique_ptr<DumpSink> make_json_sink(TextOut &out) {
  return std::make_unique<JsonSink>(out);
}

} // namespace culink::text
