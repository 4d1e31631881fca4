// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace culink {

// What the optimiser's answer consists of: one text, or several where it has divided the program.
[[nodiscard]] std::vector<std::string> split_ptx(std::string_view text);

// What PTX uses and does not define, without dynamic shared memory, which is nobody's, and without
// the functions that ptxas or the driver have.
struct UndefinedInPtx {
  std::vector<std::string> functions;
  std::vector<std::string> variables;
};
[[nodiscard]] UndefinedInPtx undefined_in(std::string_view ptx);

// The text with another target in its .target line.
[[nodiscard]] std::string with_target(std::string ptx, std::string_view target);

// The texts of a program that several threads optimised, in an order that depends on nothing but
// the program: the variables in each of them, and then the texts.
[[nodiscard]] std::vector<std::string> in_fixed_order(std::vector<std::string> parts);

} // namespace culink
