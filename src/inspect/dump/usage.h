// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What kernels and functions need, as tables that can be filtered and sorted. Columns have one name
// in text, JSON, conditions and orders.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "culink/cubin_reader.h"
#include "elf/target/arch.h"
#include "inspect/dump/sink.h"
#include "support/result.h"

namespace culink::text {

// A launch that is asked about: blocks of so many threads, and what they ask for at run time.
struct LaunchShape {
  u32 threads = 0;
  u64 dynamic_shared = 0; // bytes
};

// What would become of it on one multiprocessor.
struct LaunchResult {
  u32 blocks = 0; // resident at once; 0: it cannot be launched
  u32 warps = 0;
  u32 percent = 0;             // of the warps that could be resident
  std::string_view limited_by; // what keeps further blocks away
};

// A function with what is known of the image around it.
struct UsageRow {
  std::string name; // mangled; `use.name` may point to what is gone
  FunctionUsage use;
  std::string target; // "sm_90"
  std::string image;  // the piece of the file that it is in; empty: the file itself
  std::optional<LaunchResult> launch;
};

// The functions of a file as rows. With a shape, kernels have the result of such a launch, if the
// numbers of the target are known. `reserved` is the system's part of the shared memory of kernels.
[[nodiscard]] std::vector<UsageRow> make_rows(const ModuleUsage &usage, std::string_view target,
                                              const arch::ArchInfo *arch, bool linked,
                                              const std::optional<LaunchShape> &shape);

// "registers>64", "kind=kernel", "name=gemm*". A function of which the file does not say so much
// does not meet a condition.
struct UsageCondition {
  std::string key;
  bool (*relation)(u64 value, u64 number) = nullptr;
  u64 number = 0;
  std::string text; // of keys with names

  [[nodiscard]] bool holds(const UsageRow &row) const;
};
[[nodiscard]] Result<UsageCondition> parse_condition(std::string_view text);

// The columns that have numbers, but those of constant banks.
[[nodiscard]] std::vector<std::string_view> usage_numbers();
// Whether rows can be sorted by it; `usage_keys` lists those for messages.
[[nodiscard]] bool is_usage_key(std::string_view key);
[[nodiscard]] std::string usage_keys();
// Numbers come with the largest first, names in their order; rows that are equal stay as they are.
void sort_rows(std::string_view key, std::vector<UsageRow> &rows);

struct UsageOutput {
  bool demangled = false; // C++ names as in the source
  bool images = false;    // which image of its file a row is of
  u64 left_out = 0;       // rows that are not there
};
// Tells `sink` the rows as a list, in columns as wide as they have to be.
void print_rows(std::span<const UsageRow> rows, const UsageOutput &output, Sink &sink);

// What a module has beside its functions.
void print_module(const ModuleUsage &usage, Sink &sink);
// What kernels and multiprocessors of a target may have.
void print_limits(const arch::ArchInfo *arch, Sink &sink);

} // namespace culink::text
