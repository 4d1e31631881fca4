// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

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

} // namespace culink
