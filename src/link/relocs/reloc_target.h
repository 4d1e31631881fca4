// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a relocation's symbol stands for in this link. The symbol decides whether a relocation can
// be resolved; the section it is in does not matter.
#pragma once

#include "link/relocs/classify_relocs.h"

namespace culink {

struct SymbolMeaning {
  enum class Kind : u8 {
    Loader,  // its address is known when the program is loaded
    Value,   // known now: `value`, and `bank` for constants
    Image,   // a texture, sampler or surface reference
    Gone,    // removed, or never part of the output
    Unified, // __UFT*, __UDT*: executables have none
    Ignored, // relocations against it go away
    Plain,   // no address: null, absolute and untyped symbols; 0, or what symbol 0 has
  };
  Kind kind = Kind::Gone;
  KeptRelocation::Against against = KeptRelocation::Against::Nothing; // when kept
  u32 id = 0;
  u64 value = 0;
  u64 addend_shift = 0; // a section symbol: where this file's part starts
  u8 bank = 0;
  bool dynamic_shared = false;
  bool nameless = false; // its symbol is not part of the output
  bool unlisted = false; // not named by .nv.resolvedrela
  bool dangling = false; // would be named there, if its symbol had not gone (Q042)
};

struct RelocationContext {
  const Program &program;
  const Layout &layout;
  const SharedPlan &shared;
  const ImagePlan &constants;
};

// `function`: whose code the relocation is in, if any.
[[nodiscard]] SymbolMeaning meaning_of(const RelocationContext &context, ObjectId object,
                                       u32 symbol, FunctionId function);

} // namespace culink
