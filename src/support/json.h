// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <concepts>
#include <functional>
#include <string>
#include <string_view>

#include "support/text_out.h"

namespace culink {

// A string of JSON. Names of files may be any bytes; those that are no text are shown by their
// numbers.
[[nodiscard]] std::string quoted_json(std::string_view text);

// Writes JSON as it comes, one value behind the other. Commas come by themselves.
class JsonWriter {
public:
  // `spaced`: with blanks behind commas and colons.
  explicit JsonWriter(TextOut &out, bool spaced = false) : out_(out), spaced_(spaced) {}

  // With `own_line`, the bracket or key begins a line, indented by the brackets around it.
  void open(char bracket, bool own_line = false);
  void close(char bracket, bool own_line = false);
  void key(std::string_view name, bool own_line = false);

  void text(std::string_view bytes);
  void number(u64 value);
  void number(i64 value);
  void word(std::string_view text); // true, false, null; or a value that is JSON already

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
  bool first_ = true; // nothing yet in the innermost bracket, or a key without its value
};

} // namespace culink
