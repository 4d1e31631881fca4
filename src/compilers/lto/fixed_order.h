// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <vector>

namespace culink {

// The texts of a program that several threads optimised, in an order that depends on nothing but
// the program: the variables in each of them, and then the texts.
[[nodiscard]] std::vector<std::string> in_fixed_order(std::vector<std::string> parts);

} // namespace culink
