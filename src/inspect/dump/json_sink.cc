// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Facts as JSON, written as they come: no document is built, so memory does not grow with the
// file. One row is one line, which keeps the output readable and lets diff work on it. Strings are
// the printable form of the file's bytes, therefore always valid UTF-8.
#include <algorithm>
#include <string>

#include "inspect/dump/sink.h"
#include "support/json.h"

namespace culink::text {

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

std::unique_ptr<Sink> make_json_sink(TextOut &out) {
  return std::make_unique<JsonSink>(out);
}

} // namespace culink::text
