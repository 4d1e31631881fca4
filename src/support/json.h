// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <concepts>
#include <functional>
#include <string>
#include <string_view>

#include "support/text_out.h"

namespace culink {

// Returns a JSON string. File names may be any bytes; invalid UTF-8 is written as byte values.
[[nodiscard]] std::string quoted_json(std::string_view text);

// Writes JSON incrementally, one value after the other. Adds commas automatically.
class JsonWriter {
public:
  // `spaced`: writes blanks after commas and colons.
  explicit JsonWriter(TextOut &out, bool spaced = false) : out_(out), spaced_(spaced) {}

  // With `own_line`, the bracket or key begins a new line, indented by the number of open brackets.
  void open(char bracket, bool own_line = false);
  void close(char bracket, bool own_line = false);
  void key(std::string_view name, bool own_line = false);

  void text(std::string_view bytes);
  void number(u64 value);
  void number(i64 value);
  void word(std::string_view text); // true, false, null; or a value in JSON form

  void value(std::string_view bytes) { text(bytes); }
  void value(std::integral auto number_) {
    if constexpr (std::unsigned_integral<decltype(number_)>)
      number(u64{number_});
    else
      number(i64{number_});
  }
  void field(std::string_view name, const auto &item) {
    key(name);
    value(item);
  }
  // An array with `value_of(item)` of each item.
  void list(std::string_view name, const auto &items, const auto &value_of) {
    key(name);
    open('[');
    for (const auto &item : items)
      value(std::invoke(value_of, item));
    close(']');
  }
  void list(std::string_view name, const auto &items) { list(name, items, std::identity()); }

private:
  void next(bool own_line = false);
  void begin_line();

  TextOut &out_;
  bool spaced_;
  u32 depth_ = 0;
  bool first_ = true; // the innermost bracket has no value yet, or a key has no value yet
};

} // namespace culink
