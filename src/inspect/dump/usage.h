// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The resources of kernels and functions, as tables that can be filtered and sorted. Columns have
// the same name in text, JSON, conditions and orders.
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

// A hypothetical launch: the threads of a block and the memory that it requests at run time.
struct LaunchShape {
  u32 threads = 0;
  u64 dynamic_shared = 0; // bytes
};

// The result of such a launch on one multiprocessor.
struct LaunchResult {
  u32 blocks = 0; // resident at once; 0: it cannot be launched
  u32 warps = 0;
  u32 percent = 0;             // of the warps that could be resident
  std::string_view limited_by; // the resource that allows no further blocks
};

// A function with the properties of its image.
struct UsageRow {
  std::string name; // mangled; `use.name` may be a dangling view
  FunctionUsage use;
  std::string target; // "sm_90"
  std::string image;  // the piece of code in the file; empty: the file itself
  std::optional<LaunchResult> launch;
};

// Returns the functions of a file as rows. With a shape, kernels have the result of such a launch
// if the numbers of the target are known. `linked`: `shared` includes the area of the system.
[[nodiscard]] std::vector<UsageRow> make_rows(const ModuleUsage &usage, std::string_view target,
                                              const arch::ArchInfo *arch, bool linked,
                                              const std::optional<LaunchShape> &shape);

// A condition "registers>64", "kind=kernel" or "name=gemm*". It is false if the file does not
// record the value.
struct UsageCondition {
  std::string key;
  bool (*relation)(u64 value, u64 number) = nullptr;
  u64 number = 0;
  std::string text; // for keys with names

  [[nodiscard]] bool holds(const UsageRow &row) const;
};
[[nodiscard]] Result<UsageCondition> parse_condition(std::string_view text);

// Returns the columns that have numbers, except constant banks.
[[nodiscard]] std::vector<std::string_view> usage_numbers();
// True if rows can be sorted by this key; `usage_keys` lists the keys for messages.
[[nodiscard]] bool is_usage_key(std::string_view key);
[[nodiscard]] std::string usage_keys();
// Sorts by number, largest first, or by name, ascending. The sort is stable.
void sort_rows(std::string_view key, std::vector<UsageRow> &rows);

struct UsageOutput {
  bool demangled = false; // C++ names as in the source
  bool images = false;    // show the image that a row belongs to
  u64 left_out = 0;       // rows that are not shown
};
// Writes the rows to `sink` as a list, in columns as wide as their values.
void print_rows(std::span<const UsageRow> rows, const UsageOutput &output, Sink &sink);

// Writes the properties of a module that do not belong to a function.
void print_module(const ModuleUsage &usage, Sink &sink);
// Writes the limits of kernels and multiprocessors of a target.
void print_limits(const arch::ArchInfo *arch, Sink &sink);

} // namespace culink::text
