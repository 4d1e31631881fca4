// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "link/mercury/sass_constants.h"

namespace culink {

// .nv.info sections of functions on the SASS plane. The module's is the same on both.
struct SassRecords {
  std::vector<u8> bytes;       // of all sections
  std::vector<InfoWord> words; // of all sections
  struct List {
    OutId section;
    InfoList records; // in `bytes` and `words`
  };
  std::vector<List> lists;
};

// A word of a record that names a kernel's bank 0 has the OutId of the kernel's code.
[[nodiscard]] SassRecords make_sass_records(const SassContext &context, const SassCodeList &code);

// .nv.compat with what all code allows a finalizer; empty if the output has none.
[[nodiscard]] std::vector<u8> make_compat(const SassContext &context, const SassCodeList &code);

} // namespace culink
