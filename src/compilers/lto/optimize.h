// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compilers/cache/cache.h"
#include "compilers/engine/jit_link.h"
#include "culink/host_references.h"
#include "culink/lto_options.h"
#include "link/model/diagnostics.h"
#include "support/types.h"

namespace culink {

// The options with which code was compiled, as its fatbin records them. A program is optimised with
// one set of them.
struct ModuleOptions {
  // Whether -ftz, -prec-div, -prec-sqrt and -fmad were on, in this order.
  std::array<bool, 4> arithmetic = {false, true, true, true};
  std::optional<u32> max_registers;
  std::optional<u32> split_compile; // threads of the optimiser and of ptxas
  bool line_info = false;
};

[[nodiscard]] ModuleOptions parse_module_options(std::string_view text);

// A module that says how it was compiled.
struct ModuleRecord {
  std::string name; // of the input
  std::string_view options;
};

// The options for all modules together. Those that contradict each other are errors; what only some
// of them have holds for all, which is said. `max_registers`: given for the link, so that the
// modules' own do not count.
[[nodiscard]] ModuleOptions join_module_options(const std::vector<ModuleRecord> &modules,
                                                std::optional<u32> max_registers,
                                                Diagnostics &diag);

// "-ftz=0", "-prec-div=1", ...: as the optimiser takes them, without those that `given` has.
[[nodiscard]] std::vector<std::string> arithmetic_words(const ModuleOptions &options,
                                                        const std::vector<std::string> &given);

// The release of CUDA whose compiler wrote LTO-IR, "13.4"; empty if it is not known.
[[nodiscard]] std::string release_of_ltoir(ByteSpan module);

// A program for the optimiser.
struct OptimizerTask {
  std::string target;               // "sm_90"
  std::vector<EngineInput> modules; // in the order of the inputs
  ModuleOptions compiled;           // what the modules have in common
  bool separate = false;            // other objects will be linked with it: nothing may be removed
  bool open = false;                // it may leave functions undefined
  bool debug = false;
  // What the host uses. Nothing: there is no word about it, and all of it stays.
  std::optional<HostReferences> host;
  bool host_counts = true; // else the optimiser is not told that the host was asked about
  // The library compiles the whole program itself, with these options of ptxas; nothing: to PTX.
  std::optional<std::vector<std::string>> ptxas;
};

// The options of libnvvm, in the order in which nvlink gives them.
[[nodiscard]] std::vector<std::string> optimizer_words(const OptimizerTask &task,
                                                       const LtoOptions &options);

// For modules of that many bytes: far more than any program has needed, so that only a compiler
// that hangs meets it.
[[nodiscard]] std::chrono::seconds optimizer_time(u64 bytes);

// PTX, of several parts perhaps, or an image: from the compiler, unless the cache has its answer,
// which may be null. An error means that it could not be asked, or that it broke off, as it does
// soon after `cancelled` is set, unless null.
[[nodiscard]] Result<CompilerAnswer> optimize(const OptimizerTask &task, const LtoOptions &options,
                                              Cache *cache,
                                              const std::atomic<bool> *cancelled = nullptr);

// What the optimiser's answer consists of: one text, or several where it has divided the program.
[[nodiscard]] std::vector<std::string> split_ptx(std::string_view text);

// What PTX uses and does not define, without dynamic shared memory, which is nobody's, and without
// the functions that ptxas or the driver have.
struct UndefinedInPtx {
  std::vector<std::string> functions;
  std::vector<std::string> variables;
};
[[nodiscard]] UndefinedInPtx undefined_in(std::string_view ptx);

// The text with another target in its .target line.
[[nodiscard]] std::string with_target(std::string ptx, std::string_view target);

// The texts of a program that several threads optimised, in an order that depends on nothing but
// the program: the variables in each of them, and then the texts.
[[nodiscard]] std::vector<std::string> in_fixed_order(std::vector<std::string> parts);

} // namespace culink
