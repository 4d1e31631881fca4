// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <string_view>

#include "support/types.h"

namespace culink {

// Buffered text for a file descriptor, or kept in memory. Numbers are formatted without a format
// string, so that listings of 100,000 lines are cheap. After a failed write the rest is dropped and
// failure() returns the reason.
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
  // Writes a name from a file on one line: see printable().
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

// Returns bytes from a file as text that is valid UTF-8 and safe to print: valid UTF-8 is
// unchanged, control characters and invalid bytes become \xNN, and a backslash is doubled, so that
// the original bytes can be recovered.
[[nodiscard]] std::string printable(std::string_view bytes);
[[nodiscard]] bool is_plain(std::string_view bytes); // printable() would change nothing

// Returns text for lines that users read: a backslash is unchanged. A name cannot begin a new line.
[[nodiscard]] std::string visible(std::string_view bytes);
// Returns the number of bytes of the first character if it is valid UTF-8; else 0.
[[nodiscard]] size_t utf8_length(std::string_view text);
// Like utf8_length, but 0 for control characters, which are not shown.
[[nodiscard]] size_t character_length(std::string_view text);

// Wraps a text into lines of a terminal from a column on. `used`: width used in the first line.
[[nodiscard]] std::string wrapped(std::string_view text, size_t column, size_t used = 0);
void replace_all(std::string &text, std::string_view from, std::string_view to);

} // namespace culink
