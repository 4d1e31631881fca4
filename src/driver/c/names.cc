// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which library it is that a program has loaded, and what it knows by name. The number of the
// interface is that of the header which the library was compiled with.
#include <algorithm>
#include <string_view>

#include "driver/c/handles.h"
#include "elf/target/arch.h"

using namespace culink;
using namespace culink::capi;

namespace {

constexpr std::array<const char *, 9> kStatusNames = {
    "ok",          "invalid argument", "out of memory", "busy",          "bad option",
    "link failed", "cancelled",        "bad file",      "internal error"};

// Names live as long as the library, and never change.
const std::vector<std::string> &names_of(std::string_view list) {
  static const std::vector<std::string> targets = [] {
    std::vector<std::string> out;
    for (const arch::ArchInfo &row : arch::all_archs())
      out.emplace_back(row.name);
    return out;
  }();
  static const std::vector<std::string> linkers = [] {
    const std::vector<std::string_view> names = emulated_linkers();
    return std::vector<std::string>(names.begin(), names.end());
  }();
  static const std::vector<std::string> dialects = known_dialects();
  static const std::vector<std::string> none;
  return list == "target"    ? targets
         : list == "emulate" ? linkers
         : list == "dialect" ? dialects
                             : none;
}

} // namespace

uint32_t culink_abi_version(void) {
  return CULINK_ABI_VERSION;
}

const char *culink_version(void) {
  return CULINK_VERSION;
}

const char *culink_status_name(culink_status status) {
  const auto number = static_cast<size_t>(status);
  return number < kStatusNames.size() ? kStatusNames[number] : "unknown status";
}

const char *culink_known_name(const char *list, size_t index) {
  if (!list)
    return nullptr;
  return guarded_value<const char *>(nullptr, [&] {
    const std::vector<std::string> &names = names_of(list);
    return index < names.size() ? names[index].c_str() : nullptr;
  });
}
