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

// The result of optimising the inputs with code for link-time optimisation.
struct LtoOutcome {
  std::vector<std::string> parts; // PTX
  bool whole = false;             // the only part is the program, and nothing is left to link
  std::string image;              // the program, compiled by the library if there is no ptxas
  size_t place = 0;               // otherwise: the position of the parts in the other code
  bool lost = false;              // nvlink compiles the parts and drops them (Q170)
  std::string name;               // of the parts, for messages
  std::vector<std::string> ptxas_options;
  std::optional<u32> split_compile; // recorded by the modules
};

// Optimises all code for link-time optimisation. Nothing if there was none or it failed. The cache
// may be null.
[[nodiscard]] std::optional<LtoOutcome>
optimise_inputs(const LinkRequest &request, const arch::ArchInfo &target, const Dialect &dialect,
                const CollectedInputs &found, Diagnostics &diag, Cache *cache);

} // namespace culink
