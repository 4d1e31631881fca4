// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Images by index in links of SASS alone. nvlink adds the offset of the first slot to the index and
// leaves the old offset in the load, which then reads beyond the slots. In files with Mercury code
// it updates the load (Q112).
#include "link/emulate/image_base.h"

namespace culink::emulate {

bool updates_image_base(const Program &program) {
  return program.policy.executable && !program.sass_plane &&
         program.arch.code_kind == arch::CodeKind::Sass &&
         !program.dialect.has(Defect::StaleImageBase);
}

} // namespace culink::emulate
