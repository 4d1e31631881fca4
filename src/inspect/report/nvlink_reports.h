// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reports that nvlink prints, too, in its words or in ours.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "culink/link_facts.h"
#include "culink/linker.h"
#include "support/demangle.h"
#include "support/types.h"

namespace culink {

// Whether a report that nvlink prints, too, says what is so or what nvlink would say.
enum class Wording : u8 { Own, Nvlink };

// What the program or a kernel of it needs.
struct ResourceUse {
  std::string kernel; // mangled; empty: the program
  std::string text;
};

// The program, then its kernels.
[[nodiscard]] std::vector<ResourceUse> resource_uses(const LinkFacts &facts, Wording wording);

// What -v prints, one string per line and without the program's name. nvlink shows mangled names.
[[nodiscard]] std::vector<std::string> resource_lines(const LinkFacts &facts, Wording wording,
                                                      NameStyle names = nullptr);

// What -dump-callgraph prints, one string per line, with names in this style.
[[nodiscard]] std::vector<std::string> call_graph_lines(const LinkFacts &facts, NameStyle names,
                                                        Wording wording);

// The file of --register-link-binaries: one registration function for each module, for the stub
// that nvcc compiles into the host program. Modules without an id are named by their path, which
// is relative to `folder` if it does not begin with a slash. Unused modules are left out.
[[nodiscard]] std::string registration_text(const std::vector<LinkedModule> &modules,
                                            const std::string &folder);

// Whether a file that is there already is to stay: that of a link of the same modules for another
// target, where none was unused; or any file at all, if there are unused modules.
[[nodiscard]] bool keeps_registration(std::vector<LinkedModule> modules, const std::string &folder,
                                      std::string_view existing, bool whatever_it_says);

} // namespace culink
