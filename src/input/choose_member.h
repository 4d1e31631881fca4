// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <span>
#include <string>

#include "arch/arch.h"
#include "input/fatbin.h"
#include "model/release.h"

namespace culink {

// The member of a container to link for a target by the rules of a release, or nullptr: machine
// code or PTX of 64 bits, not link-time-optimisation code.
[[nodiscard]] const FatbinEntry *choose_member(std::span<const FatbinEntry> entries,
                                               const arch::ArchInfo &target,
                                               const Release &release);

// The member with link-time-optimisation code that is compiled for the target, or nullptr.
[[nodiscard]] const FatbinEntry *choose_lto_member(std::span<const FatbinEntry> entries,
                                                   const arch::ArchInfo &target);

// "sm_90a, compute_80, lto_90": the members, for messages.
[[nodiscard]] std::string list_members(std::span<const FatbinEntry> entries);

} // namespace culink
