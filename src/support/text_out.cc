// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Printing takes most of an inspector's time. The buffer is written in large pieces. Names come
// from files that may be damaged or hostile: invalid UTF-8 is escaped, and so are control
// characters, which keeps terminal escapes out of listings.
#include "support/text_out.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>

#include "support/bytes.h"
#include "support/file_descriptor.h"

namespace culink {

namespace {

constexpr size_t kFlushAt = 256 * 1024;
constexpr char kHexDigits[] = "0123456789abcdef";

// True for multi-byte characters that are not shown: C1 control characters, and those that begin a
// line or change the direction of their neighbours (U+061C, U+200E, U+200F, U+2028 to U+202E,
// U+2066 to U+2069).
bool is_hidden(std::string_view character) {
  const auto byte = [&](size_t i) { return static_cast<u8>(character[i]); };
  const u8 lead = byte(0), second = byte(1);
  const u8 third = character.size() == 3 ? byte(2) : 0;
  const bool mark =
      lead == 0xe2 &&
      ((second == 0x80 && (third == 0x8e || third == 0x8f || (third >= 0xa8 && third <= 0xae))) ||
       (second == 0x81 && third >= 0xa6 && third <= 0xa9));
  return (lead == 0xc2 && second < 0xa0) || (lead == 0xd8 && second == 0x9c) || mark;
}

bool is_plain_ascii(char c) {
  return c >= 0x20 && c < 0x7f && c != '\\';
}

template <typename Number>
void put_number(TextOut &out, Number value, int base, size_t min_digits) {
  std::array<char, 20> digits;
  const char *end = std::to_chars(digits.data(), digits.data() + digits.size(), value, base).ptr;
  const auto size = static_cast<size_t>(end - digits.data());
  out.fill('0', min_digits - std::min(min_digits, size));
  out.put(std::string_view(digits.data(), size));
}

} // namespace

void TextOut::put(char c) {
  if (failure_ == 0)
    buffer_.push_back(c);
}

void TextOut::put(std::string_view text) {
  if (failure_ != 0)
    return;
  buffer_.append(text);
  if (fd_ >= 0 && buffer_.size() >= kFlushAt)
    flush();
}

void TextOut::fill(char c, u64 count) {
  if (failure_ == 0)
    buffer_.append(count, c);
}

void TextOut::decimal(u64 value) {
  put_number(*this, value, 10, 1);
}

void TextOut::decimal(i64 value) {
  put_number(*this, value, 10, 1);
}

void TextOut::hex(u64 value, u32 min_digits) {
  put_number(*this, value, 16, min_digits);
}

void TextOut::name(std::string_view bytes) {
  if (is_plain(bytes))
    put(bytes);
  else
    put(printable(bytes));
}

void TextOut::flush() {
  if (fd_ < 0)
    return;
  if (failure_ == 0 && !write_all(fd_, as_bytes(buffer_)))
    failure_ = errno;
  buffer_.clear();
}

bool is_plain(std::string_view bytes) {
  for (const char c : bytes)
    if (!is_plain_ascii(c))
      return false;
  return true;
}

// Overlong forms, surrogates and values past U+10FFFF are not valid.
size_t utf8_length(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<u8>(text[i]); };
  const u8 lead = byte(0);
  if (lead < 0x80)
    return 1;
  const size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || text.size() < length)
    return 0;
  for (size_t i = 1; i < length; ++i)
    if ((byte(i) & 0xc0) != 0x80)
      return 0;
  const u8 second = byte(1);
  const bool overlong = (lead == 0xe0 && second < 0xa0) || (lead == 0xf0 && second < 0x90);
  const bool surrogate = lead == 0xed && second >= 0xa0;
  const bool too_large = lead == 0xf4 && second >= 0x90;
  return overlong || surrogate || too_large ? 0 : length;
}

size_t character_length(std::string_view text) {
  const char c = text.front();
  const size_t length = utf8_length(text);
  const bool shown = length == 1 ? is_plain_ascii(c) || c == '\\'
                                 : length != 0 && !is_hidden(text.substr(0, length));
  return shown ? length : 0;
}

namespace {

std::string escape(std::string_view bytes, std::string_view backslash) {
  std::string out;
  out.reserve(bytes.size());
  while (!bytes.empty()) {
    const size_t length = character_length(bytes);
    if (bytes.front() == '\\') {
      out += backslash;
    } else if (length == 0) {
      const u8 byte = static_cast<u8>(bytes.front());
      out += {'\\', 'x', kHexDigits[byte >> 4], kHexDigits[byte & 15]};
    } else {
      out += bytes.substr(0, length);
    }
    bytes.remove_prefix(length == 0 ? 1 : length);
  }
  return out;
}

} // namespace

std::string printable(std::string_view bytes) {
  return escape(bytes, "\\\\");
}

std::string visible(std::string_view bytes) {
  return escape(bytes, "\\");
}

std::string wrapped(std::string_view text, size_t column, size_t used) {
  constexpr size_t kWidth = 80;
  std::string out;
  const auto start = [&] {
    out += used + 2 > column ? "\n" + std::string(column, ' ') : std::string(column - used, ' ');
    used = column;
  };
  start();
  while (!text.empty()) {
    const size_t end = std::min(text.find(' '), text.size());
    if (used > column && used + 1 + end > kWidth)
      start();
    const std::string_view blank = used > column ? " " : "";
    out.append(blank).append(text.substr(0, end));
    used += blank.size() + end;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

void replace_all(std::string &text, std::string_view from, std::string_view to) {
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
}

} // namespace culink
