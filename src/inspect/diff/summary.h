// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "elf/elf_view.h"

namespace culink::text {

// The properties of a function that are compared.
struct FunctionFacts {
  static constexpr size_t kNumbers = 10;

  std::string name; // mangled
  bool kernel = false;
  u32 image = 0; // for the caller
  std::array<std::optional<u64>, kNumbers> numbers;
  u64 instructions = 0; // a hash of them
};
// Tolerant views will do.
[[nodiscard]] std::vector<FunctionFacts> function_facts(const elf::ElfView &file, u32 image);

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
  u32 image = 0;             // of the first file; of the second if it was added
  bool instructions = false; // as many as before, but others
  std::vector<FieldChange> fields;
};

// Functions that were added, removed or changed.
struct DiffSummary {
  std::vector<FunctionChange> changes; // in the order of the first file, then of the second
  u64 same = 0;                        // functions without a change
};

// Compares functions by name, whatever images they are in; several of one name are matched in their
// order.
[[nodiscard]] DiffSummary summarize_functions(std::span<const FunctionFacts> a,
                                              std::span<const FunctionFacts> b);

// "added", "removed", "changed".
[[nodiscard]] std::string_view name_of_change(FunctionChange::Kind kind);
// "code 768 -> 896, frame 8 -> 16" or "added, code 256".
[[nodiscard]] std::string describe_change(const FunctionChange &change);

// Shows every mangled name in a text as in the source, also one that ends the name of a section:
// "'.text._Z1kPf': size 0x10" becomes "'.text.k(float*)': size 0x10".
[[nodiscard]] std::string demangle_within(std::string_view text);

} // namespace culink::text
