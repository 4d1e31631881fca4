// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The two ways to decide what a format leaves open. docs/compat.md explains each point.
#include "compat/dialects.h"

namespace culink {

Dialect own_dialect() {
  Dialect d;
  d.tool = "culink";
  d.tool_version = CULINK_VERSION;
  d.tool_build = "";
  d.newest_toolkit = 134; // objects of 13.1 to 13.4 were linked and compared
  return d;
}

Dialect nvlink_13_0_88() {
  Dialect d;
  d.tool = "nvlink";
  d.tool_version = "Cuda compilation tools, release 13.0, V13.0.88";
  d.tool_build = "Build cuda_13.0.r13.0/compiler.36424714_0";
  d.lossless_relocatable = false;
  d.loses_old_barriers = true;
  d.copies_old_flags = true;
  d.refuse_newer_toolkit = true;
  d.repeat_internal_errors = true;
  d.miscompiles_constants = true;
  return d;
}

} // namespace culink
