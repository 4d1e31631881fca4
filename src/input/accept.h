// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

#include "elf/elf_view.h"
#include "elf/target/arch.h"
#include "link/model/diagnostics.h"
#include "link/model/dialect.h"
#include "link/model/input_object.h"

namespace culink {

// The target of an object and the toolkit that made it.
struct ObjectIdentity {
  u16 sm = 0;
  u16 virtual_sm = 0; // of the PTX
  u32 toolkit = 0;    // 124: CUDA 12.4
  bool capsule = false;
};

// Whether a device ELF can be linked for a target: relocatable, of an ABI we know, for a compatible
// architecture, by a toolkit that is not too old. Reports what does not fit, and returns false
// then.
[[nodiscard]] bool accept_object(const std::string &name, const elf::ElfView &view,
                                 const arch::ArchInfo &target, const Dialect &dialect,
                                 Diagnostics &diag);

// One warning for all objects of toolkits that are newer than what the dialect knows.
void report_newer_toolkits(const std::vector<InputObject> &objects, const Dialect &dialect,
                           Diagnostics &diag);

// One warning for all objects of toolkits that are newer than the release that the output is to
// look like.
void report_older_dialect(const std::vector<InputObject> &objects, const Dialect &dialect,
                          Diagnostics &diag);

// A warning for each object that is not of `nvcc -ewp`, if another one is: that one was compiled as
// if it were the whole program, the device runtime library apart.
void report_partial_programs(const std::vector<InputObject> &objects, Diagnostics &diag);

[[nodiscard]] ObjectIdentity identify_object(const elf::ElfView &view);

} // namespace culink
