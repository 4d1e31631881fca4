// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <functional>
#include <string_view>

namespace culink::check {

struct CheckOptions {
  // Kernels that the program is to have; without it, all. Arguments: name, whether it is local.
  std::function<bool(std::string_view, bool)> is_selected;
  bool keeps_all_code = false; // -g, --preserve-relocs: nothing is removed
  bool finalized = false;      // the machine code was scheduled again and differs from the inputs'
};

} // namespace culink::check
