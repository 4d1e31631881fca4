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

// The options with which code was compiled, as recorded in its fatbin. A program is optimised with
// one set of options.
struct ModuleOptions {
  // True if -ftz, -prec-div, -prec-sqrt and -fmad were on, in this order.
  std::array<bool, 4> arithmetic = {false, true, true, true};
  std::optional<u32> max_registers;
  std::optional<u32> split_compile; // number of threads of the optimiser and of ptxas
  bool line_info = false;
};

[[nodiscard]] ModuleOptions parse_module_options(std::string_view text);

// A module with its recorded options.
struct ModuleRecord {
  std::string name; // of the input
  std::string_view options;
};

// Merges the options of all modules. Conflicting options are errors. An option that only some
// modules have applies to all, with a message. `max_registers`: the value given for the link, which
// overrides the modules' values.
[[nodiscard]] ModuleOptions join_module_options(const std::vector<ModuleRecord> &modules,
                                                std::optional<u32> max_registers,
                                                Diagnostics &diag);

// Returns the options "-ftz=0", "-prec-div=1", ... for the optimiser, without those that `given`
// has.
[[nodiscard]] std::vector<std::string> arithmetic_words(const ModuleOptions &options,
                                                        const std::vector<std::string> &given);

// Returns the release of CUDA that wrote LTO-IR, such as "13.4"; empty if it is not known.
[[nodiscard]] std::string release_of_ltoir(ByteSpan module);

// A program for the optimiser.
struct OptimizerTask {
  std::string target;               // "sm_90"
  std::vector<EngineInput> modules; // in the order of the inputs
  ModuleOptions compiled;           // the merged options of the modules
  bool separate = false;            // the result is linked with other objects; keep everything
  bool open = false;                // functions may stay undefined
  bool debug = false;
  // The symbols that the host uses; nullopt if not known, so that all symbols stay.
  std::optional<HostReferences> host;
  bool host_counts = true; // if false, the optimiser is called as if the host had not been asked
  // ptxas options, with which the library compiles the whole program itself; nullopt: only to PTX.
  std::optional<std::vector<std::string>> ptxas;
};

// The options of libnvvm, in the order in which nvlink gives them.
[[nodiscard]] std::vector<std::string> optimizer_words(const OptimizerTask &task,
                                                       const LtoOptions &options);

// Returns a time limit for modules of that size. It is far above any known program's time, so that
// only a hanging compiler exceeds it.
[[nodiscard]] std::chrono::seconds optimizer_time(u64 bytes);

// Returns PTX, possibly of several parts, or an image, from the cache or else from the compiler.
// The cache may be null. An error means that the compiler could not run or was stopped. It is
// stopped soon after `cancelled` is set; `cancelled` may be null.
[[nodiscard]] Result<CompilerAnswer> optimize(const OptimizerTask &task, const LtoOptions &options,
                                              Cache *cache,
                                              const std::atomic<bool> *cancelled = nullptr);

// Returns the parts of the optimiser's answer: one text, or several if it has split the program.
[[nodiscard]] std::vector<std::string> split_ptx(std::string_view text);

// The symbols that PTX uses and does not define, except dynamic shared memory, which is never
// defined, and the functions that ptxas or the driver provides.
struct UndefinedInPtx {
  std::vector<std::string> functions;
  std::vector<std::string> variables;
};
[[nodiscard]] UndefinedInPtx undefined_in(std::string_view ptx);

// Returns the text with another target in its .target line.
[[nodiscard]] std::string with_target(std::string ptx, std::string_view target);

// Returns the texts of a program that several threads optimised in an order that depends on the
// program only: sorts the variables in each text, and then the texts.
[[nodiscard]] std::vector<std::string> in_fixed_order(std::vector<std::string> parts);

} // namespace culink
