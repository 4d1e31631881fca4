// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <vector>

#include "elf/target/reloc.h"

namespace culink::test {

// The rows of both tables of relocations.
inline std::vector<const arch::RelocInfo *> all_rows() {
  std::vector<const arch::RelocInfo *> rows;
  for (const arch::RelocInfo &row : arch::cuda_relocs())
    rows.push_back(&row);
  for (const arch::RelocInfo &row : arch::mercury_relocs())
    rows.push_back(&row);
  return rows;
}

} // namespace culink::test
