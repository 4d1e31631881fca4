// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "support/string_index.h"
#include "yaml/document/document.h"
#include "yaml/document/node_reader.h"

namespace culink::text {

// The names of a table (sections, or the symbols of one symbol table) and how the document refers
// to an entry: by its name where that is unique, by #number otherwise. Describe and assemble fill
// it in the same way, so a reference always leads back. Names are borrowed.
class NameIndex {
public:
  explicit NameIndex(std::string_view what = "entry") : what_(what) {}

  // The name of the next entry; empty when it has none.
  void add(std::string_view name);
  [[nodiscard]] u32 size() const { return static_cast<u32>(names_.size()); }
  [[nodiscard]] std::string_view name(u32 index) const {
    return index < names_.size() ? names_[index] : std::string_view();
  }

  // "name" or "#index"; any index is accepted.
  [[nodiscard]] Node reference(u32 index) const;
  // The index of the only entry of that name.
  [[nodiscard]] std::optional<u32> find(std::string_view name) const;
  // What a reference means; reports an error when there is no such entry, or more than one.
  [[nodiscard]] u32 resolve(const Node &node, Complaints &complaints) const;

private:
  static constexpr u32 kSeveral = 0xffffffff;

  std::string_view what_; // for messages: "section", "symbol"
  std::vector<std::string_view> names_;
  StringIndex index_;
  std::vector<u32> only_; // by number in index_: the entry, or kSeveral
};

} // namespace culink::text
