// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "elf/elf_view.h"

namespace culink::text {

// A number of a function that is not the same in both files; nothing where a file does not say.
struct FieldChange {
  std::string_view key; // as `cubin usage` calls it
  std::optional<u64> before, after;
};

struct FunctionChange {
  enum class Kind : u8 { Changed, Added, Removed };
  std::string name; // mangled
  bool kernel = false;
  Kind kind = Kind::Changed;
  bool instructions = false; // as many as before, but others
  std::vector<FieldChange> fields;
};

// What became of the functions of a file.
struct DiffSummary {
  std::vector<FunctionChange> changes; // in the order of the first file, then of the second
  u64 same = 0;                        // functions without a change
};

// Compares functions by name; several of one name are matched in their order. Tolerant views will
// do.
[[nodiscard]] DiffSummary summarize_functions(const elf::ElfView &a, const elf::ElfView &b);

// "added", "removed", "changed".
[[nodiscard]] std::string_view name_of_change(FunctionChange::Kind kind);
// "code 768 -> 896, frame 8 -> 16" or "added, code 256".
[[nodiscard]] std::string describe_change(const FunctionChange &change);

} // namespace culink::text
