// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/name_map.h"
#include "base/name_slots.h"
#include "base/types.h"

namespace culink {

// Interns strings: dense ids in order of first appearance. Lookups are hashed and iteration is by
// id, so no order in any output depends on a hash. The index refers to the caller's strings.
class StringIndex {
public:
  void reserve(u32 count) {
    strings_.reserve(count);
    slots_.reserve(count);
  }

  // The id of `s`, and whether it is new.
  std::pair<u32, bool> insert(std::string_view s) {
    const auto found = slots_.insert(hash_of(s), size(), [&](u32 id) { return strings_[id] == s; });
    if (found.second)
      strings_.push_back(s);
    return found;
  }
  [[nodiscard]] std::optional<u32> find(std::string_view s) const {
    return slots_.find(hash_of(s), [&](u32 id) { return strings_[id] == s; });
  }

  // Frees what only find() needs. Strings keep their ids; none may be inserted afterwards.
  void stop_finding() { slots_ = NameSlots(); }

  [[nodiscard]] u32 size() const { return static_cast<u32>(strings_.size()); }
  // Precondition: id < size().
  [[nodiscard]] std::string_view operator[](u32 id) const { return strings_[id]; }

  [[nodiscard]] static u32 hash_of(std::string_view s) {
    const u64 wide = NameHash()(s);
    return static_cast<u32>(wide >> 32 ^ wide);
  }

private:
  NameSlots slots_;
  std::vector<std::string_view> strings_;
};

} // namespace culink
