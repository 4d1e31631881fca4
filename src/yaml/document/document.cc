// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Items of maps. Maps are small (a row of a table, a section), so a search is a walk.
#include "yaml/document/document.h"

namespace culink::text {

void Node::set(std::string_view name, Node item) {
  item.key = name;
  items.push_back(std::move(item));
}

void Node::set(std::string_view name, std::string value) {
  set(name, scalar(std::move(value)));
}

const Node *Node::find(std::string_view name) const {
  for (const Node &item : items)
    if (item.key == name)
      return &item;
  return nullptr;
}

} // namespace culink::text
