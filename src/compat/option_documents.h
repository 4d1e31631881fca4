// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>
#include <string_view>

namespace culink {

// A document made of the option table: "man" (a manual page), "markdown" (the table of the
// documentation), or what a shell needs to complete options: "bash", "zsh", "fish".
[[nodiscard]] std::string option_document(std::string_view form);

} // namespace culink
