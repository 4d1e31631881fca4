// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A document is written by people, so what is wrong with it is said with line, key, the offending
// text and what would be right. Only the first complaint is kept: later ones are often its echo.
#include "yaml/document/node_reader.h"

#include <charconv>

#include <fmt/format.h>

#include "support/bytes.h"
#include "yaml/document/byte_lines.h"
#include "yaml/document/document.h"

namespace culink::text {

namespace {

std::string excerpt(std::string_view text) {
  constexpr std::size_t kShown = 60;
  const std::size_t end = std::min(text.find('\n'), text.size());
  return std::string(text.substr(0, std::min(end, kShown))) +
         (std::min(end, kShown) < text.size() ? "..." : "");
}

std::string_view kind_word(const Node &node) {
  switch (node.kind) {
  case Node::Kind::Null:
    return "nothing";
  case Node::Kind::Scalar:
    return "a single value";
  case Node::Kind::Sequence:
    return "a list";
  case Node::Kind::Map:
    return "a map";
  }
  return "";
}

} // namespace

void Complaints::add(const Node &node, std::string message) {
  if (!first_)
    first_ = Error{node.line == 0 ? std::string() : fmt::format("line {}", node.line), node.key,
                   std::move(message)};
}

bool Complaints::spend(u64 bytes, const Node &node) {
  if (bytes <= kMaxImageBytes && (spent_ += bytes) <= kMaxImageBytes)
    return true;
  add(node, fmt::format("the file would be larger than {:#x} bytes", kMaxImageBytes));
  return false;
}

std::optional<u64> parse_number(std::string_view text) {
  int base = 10;
  if (text.starts_with("0x") || text.starts_with("0X")) {
    text.remove_prefix(2);
    base = 16;
  }
  u64 value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (text.empty() || error != std::errc() || end != text.data() + text.size())
    return std::nullopt;
  return value;
}

std::optional<i64> parse_signed(std::string_view text) {
  const bool negative = text.starts_with("-");
  const std::optional<u64> value = parse_number(negative ? text.substr(1) : text);
  if (!value || (negative && *value > u64{1} << 63))
    return std::nullopt;
  return static_cast<i64>(negative ? 0 - *value : *value);
}

u64 read_number(const Node &node, u64 max, Complaints &complaints) {
  const std::optional<u64> value = node.is_scalar() ? parse_number(node.text) : std::nullopt;
  if (!value) {
    complaints.add(node, node.is_scalar()
                             ? fmt::format("'{}' is not a number (decimal, or 0x and hexadecimal)",
                                           excerpt(node.text))
                             : fmt::format("a number is needed here, not {}", kind_word(node)));
    return 0;
  }
  if (*value > max) {
    complaints.add(node, fmt::format("{} is too large, the maximum here is {:#x}", node.text, max));
    return 0;
  }
  return *value;
}

std::string read_name(const Node &node, Complaints &complaints) {
  std::string name;
  if (node.is_scalar())
    name = node.text;
  else if (node.is_map() && node.items.size() == 1 && node.items[0].key == "hex")
    name = as_text(read_hex(node.items[0], complaints));
  else
    complaints.add(node,
                   fmt::format("a name is needed here (or {{hex: ...}}), not {}", kind_word(node)));
  if (name.find('\0') != std::string::npos) {
    complaints.add(node, "a name cannot hold a zero byte");
    name.clear();
  }
  return name;
}

Node name_node(std::string_view name) {
  if (is_yaml_text(name))
    return Node::scalar(std::string(name));
  Node out = Node::map(Node::Style::Flow);
  out.set("hex", hex_string(as_bytes(name)));
  return out;
}

MapReader::MapReader(const Node &map, std::span<const std::string_view> keys,
                     Complaints &complaints)
    : map_(map), complaints_(complaints) {
  if (!map.is_map()) {
    complaints.add(map, fmt::format("a map (key: value) is needed here, not {}", kind_word(map)));
    return;
  }
  for (std::size_t i = 0; i < map.items.size(); ++i) {
    const Node &item = map.items[i];
    bool known = false;
    for (const std::string_view key : keys)
      known = known || key == item.key;
    if (!known) {
      complaints.add(item, fmt::format("unknown key; known here: {}", fmt::join(keys, ", ")));
      return; // no more than one known key each from here on, so the search below stays small
    }
    for (std::size_t j = 0; j < i; ++j)
      if (map.items[j].key == item.key) {
        complaints.add(item, fmt::format("given twice, first in line {}", map.items[j].line));
        return;
      }
  }
}

u64 MapReader::number(std::string_view key, u64 otherwise, u64 max) const {
  const Node *item = find(key);
  return item ? read_number(*item, max, complaints_) : otherwise;
}

bool MapReader::flag(std::string_view key) const {
  const Node *item = find(key);
  if (!item)
    return false;
  if (item->is_scalar() && (item->text == "true" || item->text == "yes"))
    return true;
  if (!item->is_scalar() || (item->text != "false" && item->text != "no"))
    complaints_.add(*item, "true or false is needed here");
  return false;
}

std::string MapReader::name(std::string_view key) const {
  const Node *item = find(key);
  return item ? read_name(*item, complaints_) : std::string();
}

std::span<const Node> MapReader::list(std::string_view key) const {
  const Node *item = find(key);
  return item ? read_list(*item, complaints_) : std::span<const Node>();
}

std::span<const Node> read_list(const Node &node, Complaints &complaints) {
  if (node.kind == Node::Kind::Null)
    return {};
  if (!node.is_sequence()) {
    complaints.add(node, fmt::format("a list is needed here, not {}", kind_word(node)));
    return {};
  }
  return node.items;
}

std::string decimal(u64 value) {
  return std::to_string(value);
}

std::string hexadecimal(u64 value) {
  return value < 10 ? std::to_string(value) : fmt::format("{:#x}", value);
}

std::string signed_hexadecimal(i64 value) {
  return value < 0 ? fmt::format("-{}", hexadecimal(0 - static_cast<u64>(value)))
                   : hexadecimal(static_cast<u64>(value));
}

} // namespace culink::text
