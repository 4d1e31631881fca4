// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// References by name. A name that cannot identify an entry (not unique, empty, no valid UTF-8, or
// one that reads like #12) gives way to the number, so every entry of every file can be referred
// to.
#include "yaml/document/name_index.h"

#include <fmt/format.h>

#include "yaml/document/document.h"

namespace culink::text {

namespace {

std::optional<u32> parse_index(std::string_view text) {
  if (text.size() < 2 || text[0] != '#')
    return std::nullopt;
  const std::optional<u64> number = parse_number(text.substr(1));
  if (!number || *number > 0xffffffff)
    return std::nullopt;
  return static_cast<u32>(*number);
}

} // namespace

void NameIndex::add(std::string_view name) {
  const u32 entry = size();
  names_.push_back(name);
  if (name.empty())
    return;
  const auto [number, added] = index_.insert(name);
  if (added)
    only_.push_back(entry);
  else
    only_[number] = kSeveral;
}

Node NameIndex::reference(u32 index) const {
  const std::string_view own = name(index);
  if (find(own) == index && !own.starts_with("#") && is_yaml_text(own))
    return Node::scalar(std::string(own));
  return Node::scalar(fmt::format("#{}", index));
}

std::optional<u32> NameIndex::find(std::string_view name) const {
  const std::optional<u32> number = name.empty() ? std::nullopt : index_.find(name);
  if (!number || only_[*number] == kSeveral)
    return std::nullopt;
  return only_[*number];
}

u32 NameIndex::resolve(const Node &node, Complaints &complaints) const {
  if (!node.is_scalar()) {
    complaints.add(node, fmt::format("the name of a {} is needed here, or #number", what_));
    return 0;
  }
  if (const std::optional<u32> index = parse_index(node.text))
    return *index;
  if (const std::optional<u32> index = find(node.text))
    return *index;
  complaints.add(node,
                 index_.find(node.text)
                     ? fmt::format("several {}s are named '{}'; write #number", what_, node.text)
                     : fmt::format("there is no {} named '{}'", what_, node.text));
  return 0;
}

} // namespace culink::text
