// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/types.h"

namespace culink {

// What a caller of the linker decides, apart from the target.
struct LinkOptions {
  bool relocatable = false;     // -r
  bool debug = false;           // -g: keep unused code and shared-memory symbols
  bool preserve_relocs = false; // --preserve-relocs
  // Substrings of the names of kernels to keep; an empty list keeps none. Nothing: keep all.
  std::optional<std::vector<std::string>> kernels_used;
  bool keep_system_libraries = false;
  bool suppress_stack_size_warning = false;
  std::string object_name;  // for the tool note, with -g only
  std::string option_words; // for the tool note
  u32 threads = 0;          // 0: one per core when the work is worth it

  // Unused functions stay.
  [[nodiscard]] bool keeps_all_code() const { return relocatable || debug || preserve_relocs; }
};

} // namespace culink
