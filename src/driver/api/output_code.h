// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <vector>

#include "culink/link_options.h"
#include "elf/target/arch.h"
#include "link/model/diagnostics.h"
#include "link/model/dialect.h"
#include "link/model/input_object.h"

namespace culink {

// Returns the form of code for the output, never OutputCode::Default. Reports combinations that
// inputs and options do not allow. `has_finalizer`: OutputCode::Exact is possible.
[[nodiscard]] OutputCode choose_output_code(const LinkOptions &options, const Dialect &dialect,
                                            const std::vector<InputObject> &objects,
                                            const arch::ArchInfo &target, bool has_finalizer,
                                            Diagnostics &diag);

} // namespace culink
