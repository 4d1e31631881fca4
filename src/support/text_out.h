// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <string_view>

#include "support/types.h"

namespace culink {

// Text on its way to a file descriptor, or kept in memory. One buffer, few writes; numbers are
// formatted without going through a format string, so that listings of 100,000 lines are cheap.
// After a failed write the rest is dropped and `failure()` says why.
class TextOut {
public:
  TextOut() = default; // keeps everything; take it with text()
  explicit TextOut(int fd) : fd_(fd) {}
  TextOut(const TextOut &) = delete;
  TextOut &operator=(const TextOut &) = delete;
  ~TextOut() { flush(); }

  void put(char c);
  void put(std::string_view text);
  void fill(char c, u64 count);
  void decimal(u64 value);
  void decimal(i64 value);
  void hex(u64 value, u32 min_digits = 1); // lower case, no prefix
  // A name from a file on one line: see printable().
  void name(std::string_view bytes);

  void flush();
  // The errno of the first failed write, or 0.
  [[nodiscard]] int failure() const { return failure_; }
  [[nodiscard]] const std::string &text() const { return buffer_; }
  void clear() { buffer_.clear(); } // drops the kept text

private:
  std::string buffer_;
  int fd_ = -1;
  int failure_ = 0;
};

// Bytes from a file as text that is safe to print and valid UTF-8: valid UTF-8 is not changed,
// control characters and stray bytes become \xNN, and a backslash is doubled, so that the original
// bytes can be recovered.
[[nodiscard]] std::string printable(std::string_view bytes);
[[nodiscard]] bool is_plain(std::string_view bytes); // printable() would change nothing

// Text for lines that people read: a backslash stays as it is. No name can begin a line of its own.
[[nodiscard]] std::string visible(std::string_view bytes);
// How many bytes at the front of a text are one character of valid UTF-8; 0: none.
[[nodiscard]] size_t utf8_length(std::string_view text);
// As utf8_length, but 0 for control characters, which cannot be shown.
[[nodiscard]] size_t character_length(std::string_view text);

// The words of a text in lines of a terminal, from a column on. `used`: of the first line.
[[nodiscard]] std::string wrapped(std::string_view text, size_t column, size_t used = 0);
void replace_all(std::string &text, std::string_view from, std::string_view to);

} // namespace culink
