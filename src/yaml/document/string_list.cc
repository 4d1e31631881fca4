// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// String tables as lists. ptxas and nvlink store names in the order in which they created sections
// and symbols, among them names of things they dropped later, and prototypes ahead of all. Where
// the strings follow the order of the names that the document states anyway, the list says only how
// many ({names: N}): renaming a symbol then renames its string. What remains are literal strings.
//
// Surprise: a table may hold runs of empty strings. ptxas shortens .nv.constant.user to
// .nv.constant3 in place and leaves the tail as NULs.
#include "yaml/document/string_list.h"

#include <fmt/format.h>

#include "support/bytes.h"
#include "yaml/document/byte_lines.h"

namespace culink::text {

namespace {

// Gives the names one by one, each different one once, skipping what is already placed.
class NameQueue {
public:
  explicit NameQueue(std::span<const std::string_view> names) : names_(names) {}

  // The next name that is not placed, or "" at the end.
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
  decoded.reserve(list.size());     // the queue borrows them
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
