// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "elf/elf_view.h"

namespace culink {

// What a person wants to see of the code in a file. In a pattern, * stands for any characters.
// Lists that are empty choose everything.
struct CodeSelection {
  std::vector<std::string> targets; // patterns, as in "sm_9*"
  std::vector<std::string> kernels; // patterns of names as in the file or as in the source, the
                                    // latter with or without parameters

  bool leftovers = true; // also objects of a device link beside the linked code

  [[nodiscard]] bool takes_target(std::string_view target) const;
  // A kernel by its name in the file.
  [[nodiscard]] bool takes_kernel(std::string_view name) const;
  // Whether one of an image's kernels is wanted.
  [[nodiscard]] bool takes_image(const elf::ElfView &image) const;
};

} // namespace culink
