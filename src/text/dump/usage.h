// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <optional>
#include <string_view>
#include <vector>

#include "elf/elf_view.h"
#include "text/dump/dump_sink.h"

namespace culink::text {

struct BankUse {
  u8 bank = 0;
  u64 size = 0;
};

// What one kernel or device function needs. What the file does not say is absent.
struct FunctionUsage {
  std::string_view name;
  u32 symbol = 0; // in .symtab
  bool kernel = false;
  u64 code = 0; // bytes
  std::optional<u32> registers;
  std::optional<u32> register_limit;
  std::optional<u32> frame;     // bytes of its own
  std::optional<u32> min_stack; // with all it calls; kUnboundedStack if that has no limit
  std::optional<u32> max_stack;
  std::optional<u32> barriers;
  std::optional<u32> parameters; // bytes
  std::optional<std::array<u32, 3>> max_threads;
  std::optional<std::array<u32, 3>> required_threads;
  u64 shared = 0; // static, bytes; of a linked kernel with the reserved area
  u64 local = 0;  // bytes
  std::vector<BankUse> constants;
};

inline constexpr u32 kUnboundedStack = 0xffffffff;

struct ModuleUsage {
  u64 global = 0;          // zeroed and initialized variables, bytes
  u64 shared = 0;          // static shared memory of no particular kernel
  u64 reserved_shared = 0; // taken by the system at the start of every kernel's shared memory
  std::vector<BankUse> constants;
  std::vector<FunctionUsage> functions; // in symbol order
};

[[nodiscard]] ModuleUsage collect_usage(const elf::ElfView &file);

// Tells `sink` the usage of one file. With `demangle`, C++ names as in the source.
void print_usage(std::string_view file, const ModuleUsage &usage, bool demangle, DumpSink &sink);

} // namespace culink::text
