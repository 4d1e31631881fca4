// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <string>

#include "culink/linker.h"

namespace culink::robustness {

// One of the ways to link that tests go through; every number means one, the first
// kOptionSetCount numbers each another.
inline constexpr u32 kOptionSetCount = 11;
inline constexpr std::array<u32, 2> kRelocatableSets = {2, 3}; // as nvlink does it, and as we do
void choose_options(u32 number, LinkRequest &request);

// The target that a device object was built for; empty: none that can be linked for.
[[nodiscard]] std::string target_of(ByteSpan object);

// What every link keeps to, whatever its inputs are: a result is a valid file, or a warning says
// what is not; a refusal is an error of the inputs and names one of them, and the place in it if it
// cannot be read; reports can be made. Empty: kept. Otherwise what is broken.
[[nodiscard]] std::string broken_law(const LinkRequest &request, const LinkResult &result);

// Whether the checker found that the output is not the program of the inputs, an error or a warning
// of the link. Two readings of a file that no compiler writes may differ; most such files should be
// refused. Not if another warning explains it.
[[nodiscard]] bool is_disputed(const LinkResult &result);
[[nodiscard]] std::string dispute_of(const LinkResult &result);

// Whether a warning says why the checker may find fault with the output.
[[nodiscard]] bool is_explained(const LinkResult &result);

} // namespace culink::robustness
