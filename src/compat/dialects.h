// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <string_view>

#include "model/dialect.h"

namespace culink {

// culink's own way: correct relocatable links, its own name in the tool note.
[[nodiscard]] Dialect own_dialect();

// nvlink 13.0.88 to the last byte, known defects included.
[[nodiscard]] Dialect nvlink_13_0_88();

// A linker that can be imitated, by the name that --emulate takes.
struct DialectRow {
  std::string_view name;
  Dialect (*make)();
};
inline constexpr std::array<DialectRow, 1> kDialects = {{{"nvlink-13.0.88", nvlink_13_0_88}}};

} // namespace culink
