// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "link/resolve/program.h"
#include "link/resolve/reach.h"

namespace culink::nvlink {

// By FunctionId; nothing if the stack equals the stack in Mercury code.
using StackSizes = std::vector<std::optional<u64>>;

// Stacks of a program whose machine code calls the driver for images, as the emulated linker adds
// them up. `sound`: the correct stacks. `frames`: by FunctionId.
[[nodiscard]] StackSizes add_up_stacks(const Program &program, const Reach &reach,
                                       std::span<const u32> frames, StackSizes sound);

// Kernels that list the driver's functions that a function calls for images.
[[nodiscard]] std::vector<FunctionId> kernels_listing(const Program &program, const Reach &reach,
                                                      FunctionId function);

// Kernels that were not selected but still list the driver's functions that they reach.
[[nodiscard]] std::vector<FunctionId> unselected_listing_kernels(const Program &program);

} // namespace culink::nvlink
