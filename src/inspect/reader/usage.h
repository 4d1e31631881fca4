// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "culink/cubin_reader.h"
#include "elf/elf_view.h"
#include "support/types.h"

namespace culink::inspect {

// Returns the release of the toolkit that made a file, times ten: 134 for CUDA 13.4; 0 if the file
// does not record it.
[[nodiscard]] u32 toolkit_of(const elf::ElfView &file);

// Returns "13.4" for 134; empty for 0.
[[nodiscard]] std::string release_name(u32 toolkit);

// Returns the resources of the kernels and functions of a file. Names are views into the file.
// Takes tolerant views, too: an unreadable part is treated as absent.
[[nodiscard]] ModuleUsage collect_usage(const elf::ElfView &file);

// A number of a function, with its name in columns, conditions and comparisons.
struct FunctionFact {
  enum class Shape : u8 { Plain, Stack, Threads };
  std::string_view key;
  std::optional<u64> (*value)(const FunctionUsage &use);
  bool rare = false;          // 0 for most functions
  Shape shape = Shape::Plain; // a stack may be unbounded; threads are a product of three
};
// Returns the facts in the order of columns.
[[nodiscard]] std::span<const FunctionFact> function_facts();
[[nodiscard]] u64 sum_of_constants(const FunctionUsage &use);
[[nodiscard]] u64 product_of(const std::array<u32, 3> &threads);

} // namespace culink::inspect
