// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "base/types.h"
#include "elf/elf_view.h"

namespace culink {

// A copy of an object of sm_100 or later without the functions whose code is not in the sections
// `wanted`; what refers to them finds them undefined. Sections and symbols keep their numbers.
// Nothing if there is nothing to leave out, or if the object has contents that this does not take
// apart: an engine then gets all of it.
[[nodiscard]] std::optional<std::vector<u8>> prune_object(const elf::ElfView &object,
                                                          std::span<const u32> wanted);

} // namespace culink
