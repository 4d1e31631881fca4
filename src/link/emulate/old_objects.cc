// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Objects of earlier toolkits. Toolkit 12 counts barriers in the flags of the code, toolkit 13 in a
// record. nvlink takes a kernel's record for complete if a callee of toolkit 13 gave it one, and
// leaves the count in the kernel's own flags (Q063). Toolkits before 12.4 name the code of a
// bank in sh_info without SHF_INFO_LINK, and nvlink takes over the flags as they are (Q064). nvlink
// 12.4 itself treats frames of discarded functions (Q160) and undefined functions (Q161) in other
// ways.
#include "link/emulate/old_objects.h"

#include "elf/text_info.h"

namespace culink::emulate {

bool loses_barriers(const Program &program) {
  return program.policy.loses_barriers;
}

u64 barrier_flags(const Program &program, u32 in_flags) {
  return program.policy.loses_barriers ? u64{in_flags} << elf::kTextBarrierShift : 0;
}

bool keeps_discarded_frames(const Program &program) {
  return program.policy.keeps_discarded_frames;
}

bool leaves_blank_symbols(const Program &program) {
  return program.policy.leaves_blank_symbols &&
         (program.options.debug || program.policy.lists_resolved);
}

u64 bank_flags(const Program &program, u64 flags) {
  return program.policy.takes_bank_flags ? flags : flags | elf::kFlagInfoLink;
}

} // namespace culink::emulate
