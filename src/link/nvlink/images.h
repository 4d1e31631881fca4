// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "link/resolve/program.h"
#include "link/resolve/reach.h"

namespace culink::nvlink {

// By FunctionId; nothing for a stack that is as in Mercury code.
using StackSizes = std::vector<std::optional<u64>>;

// Stacks of a program whose machine code calls the driver for images, as the emulated linker adds
// them up. `sound`: as they are. `frames`: by FunctionId.
[[nodiscard]] StackSizes add_up_stacks(const Program &program, const Reach &reach,
                                       std::span<const u32> frames, StackSizes sound);

// Kernels that list the driver's functions that a function calls for images.
[[nodiscard]] std::vector<FunctionId> kernels_listing(const Program &program, const Reach &reach,
                                                      FunctionId function);

// Kernels that were not selected and list the driver's functions that they reach all the same.
[[nodiscard]] std::vector<FunctionId> unselected_listing_kernels(const Program &program);

} // namespace culink::nvlink
