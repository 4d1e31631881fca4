// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/types.h"
#include "elf/elf_view.h"

namespace culink {

// A copy of an object of sm_100 or later that an engine can link alone, with all its functions in
// the result: undefined symbols become weak, and every device function counts as one whose address
// is taken, or only those whose code is in the sections `only`. `debug_code`: it counts as compiled
// with -G, which changes code at the end of kernels. `distinct_names`: no two sections, and no two
// local functions, have one name. Sections keep their numbers.
[[nodiscard]] Result<std::vector<u8>> prepare_object(const elf::ElfView &object, bool debug_code,
                                                     bool distinct_names,
                                                     std::span<const u32> only = {});

// Names with commas between them, as -kernels-used takes them.
[[nodiscard]] std::string kernels_in(const elf::ElfView &object, std::span<const u32> sections);

// Prepared copies that are linked together: what one of them defines as a kernel is one in all.
void agree_on_kernels(std::span<std::vector<u8>> files);

// In a prepared copy, what debug information says about registers of these functions is about none.
void hide_registers(std::span<const std::string_view> functions, std::vector<u8> &file);

} // namespace culink
