// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reports that nvlink also prints, in nvlink's words or in ours.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "culink/link_facts.h"
#include "culink/linker.h"
#include "support/demangle.h"
#include "support/types.h"

namespace culink {

// Own: the numbers of the program. Nvlink: the numbers that nvlink prints, even where they differ.
enum class Wording : u8 { Own, Nvlink };

// The resources of the program or of one of its kernels.
struct ResourceUse {
  std::string kernel; // mangled; empty: the program
  std::string text;
};

// Returns the resources of the program, then of its kernels.
[[nodiscard]] std::vector<ResourceUse> resource_uses(const LinkFacts &facts, Wording wording);

// Returns the lines of -v, without the program's name. nvlink shows mangled names.
[[nodiscard]] std::vector<std::string> resource_lines(const LinkFacts &facts, Wording wording,
                                                      NameStyle names = nullptr);

// Returns the lines of -dump-callgraph, with names in this style.
[[nodiscard]] std::vector<std::string> call_graph_lines(const LinkFacts &facts, NameStyle names,
                                                        Wording wording);

// Returns the file of --register-link-binaries: one registration function for each module, for the
// stub that nvcc compiles into the host program. Modules without an id are named by their path,
// which is relative to `folder` if it does not begin with a slash. Unused modules are left out.
[[nodiscard]] std::string registration_text(const std::vector<LinkedModule> &modules,
                                            const std::string &folder);

// True if an existing file must not be replaced: this link has unused modules, and the file either
// lists the same modules with all of them used or is kept with any contents (`whatever_it_says`).
[[nodiscard]] bool keeps_registration(std::vector<LinkedModule> modules, const std::string &folder,
                                      std::string_view existing, bool whatever_it_says);

} // namespace culink
