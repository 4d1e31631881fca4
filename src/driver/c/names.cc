// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The version of the library that a program has loaded, and the names that it knows. The interface
// number comes from the header that the library was compiled with.
#include <algorithm>
#include <string_view>

#include "driver/c/handles.h"
#include "elf/names.h"
#include "elf/target/arch.h"
#include "inspect/diff/diff.h"
#include "support/demangle.h"

using namespace culink;
using namespace culink::capi;

namespace {

constexpr std::array<const char *, 9> kStatusNames = {
    "ok",          "invalid argument", "out of memory", "busy",          "bad option",
    "link failed", "cancelled",        "bad file",      "internal error"};

template <typename Number>
std::vector<std::string> names_by_number(const elf::NameTable<Number> &table) {
  std::vector<std::string> out;
  for (const elf::NamedNumber &row : table.rows()) {
    out.resize(std::max<size_t>(out.size(), row.number + 1));
    out[row.number] = row.name;
  }
  return out;
}

std::vector<std::string> topic_names() {
  std::vector<std::string> out;
  for (u32 i = 0; i < text::kDiffTopics; ++i)
    out.emplace_back(text::name_of_topic(static_cast<text::DiffTopic>(i)));
  return out;
}

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
  static const std::vector<std::string> topics = topic_names();
  static const auto file_types = names_by_number(elf::kFileTypeNames);
  static const auto bindings = names_by_number(elf::kSymbolBindingNames);
  static const auto symbol_types = names_by_number(elf::kSymbolTypeNames);
  static const std::vector<std::string> none;
  return list == "target"        ? targets
         : list == "emulate"     ? linkers
         : list == "dialect"     ? dialects
         : list == "topic"       ? topics
         : list == "file-type"   ? file_types
         : list == "binding"     ? bindings
         : list == "symbol-type" ? symbol_types
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

size_t culink_demangle(const char *name, char *buffer, size_t size) {
  if (!name || (!buffer && size != 0))
    return 0;
  return guarded_value<size_t>(0, [&] {
    const std::string shown = demangle(name);
    if (size != 0)
      buffer[shown.copy(buffer, size - 1)] = '\0';
    return shown.size();
  });
}

int32_t culink_is_called(const char *name, const char *wanted) {
  return name && wanted && guarded_value(false, [&] { return is_called(name, wanted); });
}
