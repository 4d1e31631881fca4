// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace culink {

// The symbols of the unified function and data tables. Objects for sm_90 and later declare them;
// executables have the names in .strtab but no symbols.
[[nodiscard]] inline bool is_unified_table(std::string_view name) {
  constexpr std::array<std::string_view, 8> kNames = {
      "__UDT", "__UDT_CANONICAL", "__UDT_END", "__UDT_OFFSET",
      "__UFT", "__UFT_CANONICAL", "__UFT_END", "__UFT_OFFSET"};
  return name.starts_with("__U") && std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

// The symbol that code of indirect calls refers to.
inline constexpr std::string_view kUnifiedOffset = "__UFT_OFFSET";

// Symbols of shared memory that the system reserves: undefined in objects for sm_90 and later, with
// a value since sm_100. Other names that begin like these are a program's own, for nvlink as well.
[[nodiscard]] inline bool is_reserved_shared_mark(std::string_view name) {
  constexpr std::string_view kBegin = ".nv.reservedSmem.";
  constexpr std::array<std::string_view, 5> kEnds = {"begin", "cap", "end", "offset0", "offset1"};
  return name.starts_with(kBegin) &&
         std::find(kEnds.begin(), kEnds.end(), name.substr(kBegin.size())) != kEnds.end();
}

// Sizes of the descriptors of images, which code that asks for properties of images refers to.
[[nodiscard]] inline bool is_descriptor_size(std::string_view name) {
  constexpr std::array<std::string_view, 4> kNames = {
      ".nv.independent.samplerrefDescSize", ".nv.independent.texrefDescSize", ".nv.surfrefDescSize",
      ".nv.unified.texrefDescSize"};
  return name.ends_with("refDescSize") &&
         std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

// Objects that compilers declare as weak in every file that may need them.
[[nodiscard]] inline bool is_declared_everywhere(std::string_view name) {
  return is_unified_table(name) || is_reserved_shared_mark(name) || is_descriptor_size(name);
}

// A local undefined symbol of the device runtime library; its value is the size of the whole bank
// of user constants.
inline constexpr std::string_view kConstantBankSize = ".nv.ptx.const0.size";

} // namespace culink
