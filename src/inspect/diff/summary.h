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
  u32 image = 0; // set and used by the caller
  std::array<std::optional<u64>, kNumbers> numbers;
  u64 instructions = 0; // a hash of them
};
// Returns the properties of all functions of a file. Takes tolerant views, too.
[[nodiscard]] std::vector<FunctionFacts> function_facts(const elf::ElfView &file, u32 image);

// A number of a function that differs between the files; nullopt if a file does not record it.
struct FieldChange {
  std::string_view key; // the key in `cubin usage`
  std::optional<u64> before, after;
};

struct FunctionChange {
  enum class Kind : u8 { Changed, Added, Removed };
  std::string name; // mangled
  bool kernel = false;
  Kind kind = Kind::Changed;
  u32 image = 0;             // of the first file; of the second if it was added
  bool instructions = false; // as many as before, but different ones
  std::vector<FieldChange> fields;
};

// Functions that were added, removed or changed.
struct DiffSummary {
  std::vector<FunctionChange> changes; // in the order of the first file, then of the second
  u64 same = 0;                        // functions without a change
};

// Compares functions by name, in all images; several functions of one name are matched in order.
[[nodiscard]] DiffSummary summarize_functions(std::span<const FunctionFacts> a,
                                              std::span<const FunctionFacts> b);

// "added", "removed", "changed".
[[nodiscard]] std::string_view name_of_change(FunctionChange::Kind kind);
// "code 768 -> 896, frame 8 -> 16" or "added, code 256".
[[nodiscard]] std::string describe_change(const FunctionChange &change);

// Replaces every mangled name in a text by the source name, also at the end of a section's name:
// "'.text._Z1kPf': size 0x10" becomes "'.text.k(float*)': size 0x10".
[[nodiscard]] std::string demangle_within(std::string_view text);

} // namespace culink::text
