// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Records of the output that the linker makes or changes. They name entities and sections; numbers
// exist only when the file is written.
#pragma once

#include <vector>

#include "elf/nv_info.h"
#include "model/merged.h"

namespace culink {

// One record of an output .nv.info section.
struct OutInfo {
  enum class Kind : u8 {
    Verbatim, // value or payload as read
    Word,     // one u32 in `word`
    Symbol,   // the symbol of `entity`, then `word`
    Bank,     // the section symbol of `section`, then `word`
    Symbols,  // the symbols of `entities`
  };
  Kind kind = Kind::Verbatim;
  elf::RecordFormat format = elf::RecordFormat::Sized;
  elf::InfoAttribute attribute{};
  u16 value = 0;
  u32 word = 0;
  ByteSpan payload;
  EntityId entity;
  OutId section;
  std::vector<EntityId> entities;
};

struct InfoPlan {
  std::vector<OutInfo> module;
  std::vector<std::vector<OutInfo>> of_text; // by OutId of the text section
};

// What kernels need, call trees included.
struct KernelUse {
  FunctionId kernel;
  u32 registers = 0;
  u32 barriers = 0;
  u64 stack = 0;
  bool recursive = false;
};

} // namespace culink
