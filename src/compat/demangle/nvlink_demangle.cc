// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// C++ names as nvlink writes them in messages and in its call graph. Its demangler is its own, and
// so must ours be: other blanks (`float *`), other places for const, template parameters by number
// (`T1`), and names that it cannot read at all. Found by giving nvlink functions of many names
// (tests/unit/nvlink_demangled_names.txt). Everything else here shows names by support/demangle.h.
#include "compat/demangle/nvlink_demangle.h"

#include <fmt/format.h>

#include "compat/demangle/tree.h"
#include "support/demangle.h"

namespace culink {

std::string nvlink_demangle(std::string_view name) {
  const std::optional<demangling::Tree> tree = demangling::parse(without_file(name));
  const std::optional<std::string> text = tree ? demangling::print(*tree) : std::nullopt;
  if (!text)
    return std::string(name);
  // Clones of a function that the compiler made for its own use.
  const std::string_view clone = tree->clone;
  if (clone.find_first_not_of("0123456789") == std::string_view::npos)
    return *text;
  return fmt::format("[clone {}] {}", *text, clone);
}

} // namespace culink
