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
  bool debug_code = false; // treat as compiled with -G, which changes code at the end of kernels
  bool independent_textures = false; // treat as an object with samplers
  bool distinct_names = false;       // give all sections, and all local functions, distinct names
  NameSet defined;                   // by objects that are linked together with this one
  std::span<const u32> only;         // code sections of the needed device functions; empty: all
};

// Returns a copy of an object of sm_100 or later that an engine can link alone without losing
// functions: undefined symbols get names that may stay undefined, and the addresses of device
// functions are marked as taken. Sections keep their numbers.
[[nodiscard]] Result<std::vector<u8>> prepare_object(const elf::ElfView &object,
                                                     const Preparation &how);

// Returns the names that other objects may refer to.
[[nodiscard]] NameSet defined_names(const elf::ElfView &object);

// Returns the names of the kernels, separated by commas, as -kernels-used expects them.
[[nodiscard]] std::string kernels_in(const elf::ElfView &object, std::span<const u32> sections);

// In prepared copies that are linked together: a kernel of one copy becomes a kernel in all.
void agree_on_kernels(std::span<std::vector<u8>> files);

// In a prepared copy, detaches the debug information about registers from these functions.
void hide_registers(std::span<const std::string_view> functions, std::vector<u8> &file);

// Returns a copy of an object of sm_100 or later without the functions that have their code outside
// the sections `wanted`; references to removed functions become undefined. Sections and symbols
// keep their numbers. Returns nullopt if all functions are wanted, or if the object has unsupported
// contents: an engine then gets the whole object.
[[nodiscard]] std::optional<std::vector<u8>> prune_object(const elf::ElfView &object,
                                                          std::span<const u32> wanted);

} // namespace culink
