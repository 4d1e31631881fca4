// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The contents of sections as text: bytes as lines, string tables as lists.
#include "yaml/document/byte_lines.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "elf/codec.h"
#include "support/bytes.h"

namespace culink::text {

// Bytes as lines of text. They are most of a large document, so they are written and read without a
// formatting library: 35 MB of cubin are some 80 MB of lines. A short repeat count can request many
// bytes, so the limit is checked before the bytes are made.

namespace {

constexpr u64 kBytesPerLine = 32;
constexpr u64 kNopLow = 0x0000000000007918;
constexpr u64 kNopHigh = 0x000fc00000000000;
constexpr char kDigits[] = "0123456789abcdef";

void append_hex(std::string &out, ByteSpan bytes) {
  for (const u8 byte : bytes) {
    out += kDigits[byte >> 4];
    out += kDigits[byte & 15];
  }
}

void append_word(std::string &out, u64 word) {
  out += "0x";
  for (int shift = 60; shift >= 0; shift -= 4)
    out += kDigits[(word >> shift) & 15];
}

bool all_zero(ByteSpan bytes) {
  return std::ranges::all_of(bytes, [](u8 byte) { return byte == 0; });
}

// Uses one line if possible, so that short contents stay on the key's line.
Node lines_node(std::string text) {
  if (text.empty() || text.find('\n') + 1 == text.size()) {
    if (!text.empty())
      text.pop_back();
    return Node::scalar(std::move(text));
  }
  return Node::lines(std::move(text));
}

std::optional<u32> digit_value(char c) {
  if (c >= '0' && c <= '9')
    return c - '0';
  if (c >= 'a' && c <= 'f')
    return c - 'a' + 10;
  if (c >= 'A' && c <= 'F')
    return c - 'A' + 10;
  return std::nullopt;
}

std::string_view trim(std::string_view line) {
  line = line.substr(0, line.find('#'));
  const auto blank = [](char c) { return c == ' ' || c == '\t' || c == '\r'; };
  while (!line.empty() && blank(line.front()))
    line.remove_prefix(1);
  while (!line.empty() && blank(line.back()))
    line.remove_suffix(1);
  return line;
}

// Parses "word" or "word xN". Returns N, or 1 without it; nullopt if the line has another first
// word.
std::optional<u64> repeat_count(std::string_view line, std::string_view word) {
  if (!line.starts_with(word))
    return std::nullopt;
  line = trim(line.substr(word.size()));
  if (line.empty())
    return 1;
  if (line.front() != 'x')
    return std::nullopt;
  return parse_number(line.substr(1));
}

class LineReader {
public:
  LineReader(bool code, Complaints &complaints) : code_(code), complaints_(complaints) {}

  [[nodiscard]] std::vector<u8> run(const Node &node) {
    if (node.is_sequence())
      for (const Node &item : node.items)
        scalar(item);
    else
      scalar(node);
    return std::move(bytes_);
  }

private:
  void scalar(const Node &node) {
    if (!node.is_scalar()) {
      complaints_.add(node, "lines of bytes are needed here");
      return;
    }
    std::string_view rest = node.text;
    Node place = Node::scalar({});
    place.key = node.key;
    // The text of a block starts on the line after its key.
    place.line = node.text.find('\n') == std::string::npos ? node.line : node.line + 1;
    while (!rest.empty() && !complaints_.any()) {
      const std::size_t end = std::min(rest.find('\n'), rest.size());
      line(trim(rest.substr(0, end)), place);
      rest.remove_prefix(std::min(end + 1, rest.size()));
      place.line += place.line != 0;
    }
  }

  void line(std::string_view text, const Node &place) {
    if (text.empty())
      return;
    if (const std::optional<u64> count = repeat_count(text, "zero"))
      return zeros(*count, place);
    if (code_) {
      if (const std::optional<u64> count = repeat_count(text, "nop"))
        return nops(*count, place);
      if (text.starts_with("0x"))
        return instruction(text, place);
    }
    if (!append_digits(text))
      complaints_.add(
          place,
          fmt::format("'{}' is not understood; write {}bytes in hexadecimal or `zero xN`",
                      text.substr(0, 60), code_ ? "`nop xN`, two 64-bit words with 0x, " : ""));
  }

  void zeros(u64 count, const Node &place) {
    if (complaints_.spend(count, place))
      bytes_.resize(bytes_.size() + count);
  }

  void nops(u64 count, const Node &place) {
    const u64 most = kMaxImageBytes / kInstructionSize + 1; // the product below fits into 64 bits
    if (!complaints_.spend(std::min(count, most) * kInstructionSize, place))
      return;
    for (u64 i = 0; i < count; ++i) {
      elf::append_le(bytes_, kNopLow);
      elf::append_le(bytes_, kNopHigh);
    }
  }

  void instruction(std::string_view text, const Node &place) {
    const std::size_t blank = text.find(' ');
    const std::optional<u64> low = parse_number(text.substr(0, blank));
    const std::optional<u64> high =
        blank == std::string_view::npos ? std::nullopt : parse_number(trim(text.substr(blank)));
    if (!low || !high)
      return complaints_.add(
          place, fmt::format("'{}' is not an instruction: low word, blank, high word, each "
                             "with 0x",
                             text.substr(0, 60)));
    elf::append_le(bytes_, *low);
    elf::append_le(bytes_, *high);
  }

  [[nodiscard]] bool append_digits(std::string_view text) {
    std::optional<u32> high;
    for (const char c : text) {
      if (c == ' ' && !high)
        continue;
      const std::optional<u32> digit = digit_value(c);
      if (!digit)
        return false;
      if (high)
        bytes_.push_back(static_cast<u8>(*high << 4 | *digit));
      high = high ? std::nullopt : digit;
    }
    return !high;
  }

  bool code_;
  Complaints &complaints_;
  std::vector<u8> bytes_;
};

} // namespace

Node data_node(ByteSpan bytes) {
  std::string out;
  u64 zeros = 0;
  const auto flush_zeros = [&] {
    if (zeros != 0)
      out += fmt::format("zero x{}\n", zeros);
    zeros = 0;
  };
  for (u64 at = 0; at < bytes.size(); at += kBytesPerLine) {
    const ByteSpan line = bytes.subspan(at, std::min(kBytesPerLine, bytes.size() - at));
    if (all_zero(line)) {
      zeros += line.size();
      continue;
    }
    flush_zeros();
    append_hex(out, line);
    out += '\n';
  }
  flush_zeros();
  return lines_node(std::move(out));
}

std::vector<u8> read_data(const Node &node, Complaints &complaints) {
  return LineReader(false, complaints).run(node);
}

Node code_node(ByteSpan bytes) {
  std::string out;
  u64 nops = 0;
  const auto flush_nops = [&] {
    if (nops != 0)
      out += nops == 1 ? "nop\n" : fmt::format("nop x{}\n", nops);
    nops = 0;
  };
  for (u64 at = 0; at < bytes.size(); at += kInstructionSize) {
    const u64 low = load_le<u64>(bytes.data() + at);
    const u64 high = load_le<u64>(bytes.data() + at + 8);
    if (low == kNopLow && high == kNopHigh) {
      ++nops;
      continue;
    }
    flush_nops();
    append_word(out, low);
    out += ' ';
    append_word(out, high);
    out += '\n';
  }
  flush_nops();
  return lines_node(std::move(out));
}

std::vector<u8> read_code(const Node &node, Complaints &complaints) {
  return LineReader(true, complaints).run(node);
}

Node number_lines_node(ByteSpan words) {
  constexpr u64 kPerLine = 16;
  std::string out;
  for (u64 i = 0; i * 4 + 4 <= words.size(); ++i) {
    if (i != 0)
      out += i % kPerLine == 0 ? '\n' : ' ';
    out += std::to_string(load_le<u32>(words.data() + i * 4));
  }
  if (!out.empty())
    out += '\n';
  return lines_node(std::move(out));
}

std::vector<u8> read_number_lines(const Node &node, Complaints &complaints) {
  std::vector<u8> out;
  if (!node.is_scalar()) {
    complaints.add(node, "lines of numbers are needed here");
    return out;
  }
  std::string_view rest = node.text;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find_first_of(" \t\r\n"), rest.size());
    const std::string_view word = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (word.empty())
      continue;
    const std::optional<u64> number = parse_number(word);
    if (!number || *number > 0xffffffff) {
      complaints.add(node, fmt::format("'{}' is not a 32-bit number", word.substr(0, 60)));
      return out;
    }
    elf::append_le(out, static_cast<u32>(*number));
  }
  return out;
}

std::string hex_string(ByteSpan bytes) {
  std::string out;
  out.reserve(bytes.size() * 2);
  append_hex(out, bytes);
  return out;
}

// String tables as lists. ptxas and nvlink store names in the order in which they create sections
// and symbols. The tables include names of items that were dropped later, and prototypes at the
// front. If the strings follow the order of the names in the document, the list only has their
// number ({names: N}): renaming a symbol then renames its string. All other strings are literal.
//
// What may surprise: a table may contain runs of empty strings. ptxas shortens .nv.constant.user to
// .nv.constant3 in place and leaves the rest as NULs.

namespace {

// Returns the distinct names in order, without those that are already placed.
class NameQueue {
public:
  explicit NameQueue(std::span<const std::string_view> names) : names_(names) {}

  // Returns the next name that is not placed, or "" at the end.
  [[nodiscard]] std::string_view next() {
    while (at_ < names_.size() && (names_[at_].empty() || placed_.find(names_[at_])))
      ++at_;
    return at_ < names_.size() ? names_[at_] : std::string_view();
  }
  void place(std::string_view text) { placed_.insert(text); }

private:
  std::span<const std::string_view> names_;
  std::size_t at_ = 0;
  StringIndex placed_;
};

Node counted(std::string_view key, u64 count) {
  Node out = Node::map(Node::Style::Flow);
  out.set(key, decimal(count));
  return out;
}

constexpr std::string_view kItemKeys[] = {"names", "zeros"};

} // namespace

StringPlaces::StringPlaces(ByteSpan table) {
  table_ = terminated_strings(table);
  for (u64 at = 0; at < table_.size();) {
    const std::string_view text = *c_string_at(table_, at);
    if (index_.insert(text).second)
      offsets_.push_back(static_cast<u32>(at));
    at += text.size() + 1;
  }
}

std::optional<u32> StringPlaces::find(std::string_view text) const {
  const std::optional<u32> number = index_.find(text);
  return number ? std::optional<u32>(offsets_[*number]) : std::nullopt;
}

std::optional<Node> string_list_node(ByteSpan table, std::span<const std::string_view> names) {
  if (table.empty() || table.front() != 0 || table.back() != 0)
    return std::nullopt;
  Node out = Node::sequence();
  NameQueue queue(names);
  u64 zeros = 0, named = 0;
  const auto flush = [&] {
    if (zeros != 0)
      out.add(counted("zeros", zeros));
    if (named != 0)
      out.add(counted("names", named));
    zeros = named = 0;
  };
  for (u64 at = 1; at < table.size();) {
    const std::string_view text = *c_string_at(table, at);
    at += text.size() + 1;
    const bool is_next = !text.empty() && queue.next() == text;
    if ((text.empty() && named != 0) || (is_next && zeros != 0))
      flush();
    if (text.empty()) {
      ++zeros;
    } else if (is_next) {
      ++named;
    } else {
      flush();
      out.add(name_node(text));
    }
    queue.place(text);
  }
  flush();
  return out;
}

std::vector<u8> read_string_list(std::span<const Node> list,
                                 std::span<const std::string_view> names, Complaints &complaints) {
  std::vector<u8> out(1);
  NameQueue queue(names);
  std::vector<std::string> decoded; // the literal strings
  decoded.reserve(list.size());     // no reallocation: the queue refers to these strings
  const auto append = [&](std::string_view text) {
    out.insert(out.end(), text.begin(), text.end());
    out.push_back(0);
    queue.place(text);
  };
  for (const Node &item : list) {
    if (item.is_scalar() || item.find("hex")) {
      append(decoded.emplace_back(read_name(item, complaints)));
      continue;
    }
    const MapReader map(item, kItemKeys, complaints);
    const u64 room = kMaxImageBytes - std::min<u64>(kMaxImageBytes, out.size());
    out.resize(out.size() + map.number("zeros", 0, room));
    for (u64 count = map.number("names", 0); count > 0; --count) {
      const std::string_view name = queue.next();
      if (name.empty()) {
        map.report(fmt::format("{} names too many; lower the count or add a symbol", count));
        break;
      }
      append(name);
    }
  }
  for (std::string_view name = queue.next(); !name.empty(); name = queue.next())
    append(name);
  return out;
}

} // namespace culink::text
