// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "text/dump/usage.h"

namespace culink::text {

// A column of the table of usage that has numbers.
struct UsageColumn {
  enum class Shape : u8 {
    Always,    // in every table
    Stack,     // the same; may be unbounded
    Rare,      // only in tables in which a row has it
    RareStack, // both
    Threads,   // rare; three numbers, of which the value is the product
  };
  std::string_view key;
  Shape shape;
  std::optional<u64> (*value)(const UsageRow &row);

  [[nodiscard]] bool is_rare() const { return shape != Shape::Always && shape != Shape::Stack; }
};

[[nodiscard]] std::span<const UsageColumn> usage_columns(); // in their order
[[nodiscard]] std::optional<u64> constant_size(const UsageRow &row, u32 bank);

} // namespace culink::text
