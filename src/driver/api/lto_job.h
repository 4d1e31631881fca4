// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compilers/cache/cache.h"
#include "culink/linker.h"
#include "elf/target/arch.h"
#include "input/collect.h"
#include "link/model/diagnostics.h"
#include "link/model/dialect.h"

namespace culink {

// What became of the code for link-time optimisation among the inputs.
struct LtoOutcome {
  std::vector<std::string> parts; // PTX
  bool whole = false;             // the one part is the program, and there is nothing to link
  std::string image;              // what the library made of it where there is no ptxas
  size_t place = 0;               // else: where the parts belong among the other code
  bool lost = false;              // nvlink compiles them and forgets them (Q170)
  std::string name;               // of the parts, for messages
  std::vector<std::string> ptxas_options;
  std::optional<u32> split_compile; // recorded by the modules
};

// Optimises the code of that kind that was found. Nothing: there was none, or it failed. The cache
// may be null.
[[nodiscard]] std::optional<LtoOutcome>
optimise_inputs(const LinkRequest &request, const arch::ArchInfo &target, const Dialect &dialect,
                const CollectedInputs &found, Diagnostics &diag, Cache *cache);

} // namespace culink
