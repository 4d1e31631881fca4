// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where facts about a file go. A dump is produced once, as lists of rows of named values; one sink
// writes it for people, the other as JSON. So both say the same by construction.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "support/text_out.h"
#include "support/types.h"

namespace culink::text {

// One value. Texts are borrowed until the call returns.
struct Value {
  enum class Kind : u8 {
    Number,    // decimal
    Hex,       // text: 0x..; JSON: a number
    SignedHex, // the same with a sign
    Name,      // a string from the file or from our tables
    Label,     // a number that has a name, or would have one if it were known
    Reference, // a number that people look up in another table, which has its name
    Flag,      // true or false
    Missing,   // the file does not say: text "-", JSON null
    Absent,    // this row has no such thing: text "-", JSON nothing
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
[[nodiscard]] constexpr Value name(std::string_view text) {
  return {Value::Kind::Name, 0, text};
}
[[nodiscard]] constexpr Value flag(bool v) {
  return {Value::Kind::Flag, v ? u64{1} : u64{0}, {}};
}
[[nodiscard]] constexpr Value missing() {
  return {Value::Kind::Missing, 0, {}};
}
[[nodiscard]] constexpr Value absent() {
  return {Value::Kind::Absent, 0, {}};
}
// In text the name, or 0xNN when it is empty; in JSON "key": number and "key_name": name or null.
[[nodiscard]] constexpr Value label(u64 v, std::string_view text) {
  return {Value::Kind::Label, v, text};
}
// In text the number; in JSON as a label.
[[nodiscard]] constexpr Value reference(u64 v, std::string_view text) {
  return {Value::Kind::Reference, v, text};
}

// How a value is called and placed. Placed columns (title not empty) are in a table under their
// title; the others are written as "key value".
struct Column {
  std::string_view key;   // in JSON
  std::string_view title; // in text
  i32 width = 0;          // negative: to the left; 0: as it comes
};

class DumpSink {
public:
  DumpSink() = default;
  DumpSink(const DumpSink &) = delete;
  DumpSink &operator=(const DumpSink &) = delete;
  virtual ~DumpSink() = default;

  // The whole output: one entry per file.
  virtual void begin() = 0;
  virtual void end() = 0;
  virtual void begin_file(std::string_view file) = 0;
  virtual void end_file() = 0;

  // A list of rows. Inside a row it is that row's list, and its title may be empty.
  virtual void open_list(std::string_view key, std::string_view title) = 0;
  virtual void close_list() = 0;
  // The titles of the columns to come. `columns` outlive the list.
  virtual void headings(std::span<const Column> columns) = 0;
  virtual void open_row() = 0;
  // In text, what follows of the row starts a line of its own.
  virtual void continue_row() = 0;
  virtual void close_row() = 0;

  // A group of values, one per line in text.
  virtual void open_record(std::string_view key, std::string_view title) = 0;
  virtual void close_record() = 0;

  // A value of the open row or record.
  virtual void field(const Column &column, const Value &value) = 0;
  virtual void values(const Column &column, std::span<const Value> values) = 0;
  // The same for labels alone: JSON also has "key_name", even when there are none.
  virtual void labels(const Column &column, std::span<const Value> labels) = 0;
  // Bytes in hexadecimal: on one line of a row when there are few, else as a dump.
  virtual void bytes(const Column &column, ByteSpan bytes) = 0;
};

[[nodiscard]] std::unique_ptr<DumpSink> make_text_sink(TextOut &out);
[[nodiscard]] std::unique_ptr<DumpSink> make_json_sink(TextOut &out);
// The rows of one list as comma-separated values, under the keys of its headings; nothing else.
[[nodiscard]] std::unique_ptr<DumpSink> make_csv_sink(TextOut &out);

// A field of comma-separated values, in quotes where it has to be (RFC 4180).
[[nodiscard]] std::string csv_field(std::string_view text);
// A name from a file for such a field: printable, and the sign with which spreadsheets begin a
// formula as a number.
[[nodiscard]] std::string csv_name(std::string_view bytes);

} // namespace culink::text
