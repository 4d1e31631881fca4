// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tables by name for what is not looked up often; StringIndex is for the rest. Their order is
// another one in every process, so nobody may walk through them where the order could be seen.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

namespace culink {

// Nobody can choose names with one hash, because it depends on a secret of the process.
struct NameHash {
  using is_transparent = void;
  size_t operator()(std::string_view name) const;
};

template <class T> using NameMap = std::unordered_map<std::string_view, T, NameHash>;
using NameSet = std::unordered_set<std::string_view, NameHash>;
// That own the names.
template <class T>
using OwnedNameMap = std::unordered_map<std::string, T, NameHash, std::equal_to<>>;
using OwnedNameSet = std::unordered_set<std::string, NameHash, std::equal_to<>>;

} // namespace culink
