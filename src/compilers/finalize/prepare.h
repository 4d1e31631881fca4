// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "elf/elf_view.h"
#include "support/result.h"
#include "support/string_index.h"
#include "support/types.h"

namespace culink {

struct Preparation {
  bool debug_code = false; // counts as compiled with -G, which changes code at the end of kernels
  bool independent_textures = false; // counts as an object with samplers
  bool distinct_names = false;       // no two sections, and no two local functions, have one name
  NameSet defined;                   // by objects that are linked together with this one
  std::span<const u32> only;         // sections of the device functions that are needed; none: all
};

// A copy of an object of sm_100 or later that an engine can link alone, with all its functions in
// the result: what is undefined gets a name that may be, and device functions count as ones whose
// address is taken. Sections keep their numbers.
[[nodiscard]] Result<std::vector<u8>> prepare_object(const elf::ElfView &object,
                                                     const Preparation &how);

// What other objects may refer to.
[[nodiscard]] NameSet defined_names(const elf::ElfView &object);

// Names with commas between them, as -kernels-used takes them.
[[nodiscard]] std::string kernels_in(const elf::ElfView &object, std::span<const u32> sections);

// Prepared copies that are linked together: what one of them defines as a kernel is one in all.
void agree_on_kernels(std::span<std::vector<u8>> files);

// In a prepared copy, what debug information says about registers of these functions is about none.
void hide_registers(std::span<const std::string_view> functions, std::vector<u8> &file);

// A copy of an object of sm_100 or later without the functions whose code is not in the sections
// `wanted`; what refers to them finds them undefined. Sections and symbols keep their numbers.
// Nothing if there is nothing to leave out, or if the object has contents that this does not take
// apart: an engine then gets all of it.
[[nodiscard]] std::optional<std::vector<u8>> prune_object(const elf::ElfView &object,
                                                          std::span<const u32> wanted);

} // namespace culink
