// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rules for relocations: the action for a relocation, given its number, the kind of its symbol
// and the kind of the link.
#pragma once

#include "elf/target/reloc.h"
#include "link/model/link_policy.h"

namespace culink {

// The kinds of symbols that the rules distinguish.
enum class TargetKind : u8 {
  // The loader knows the address, or the next link.
  Function,
  Variable,         // in global memory, or of what the next link places; a section of either
  UndefinedObject,  // an undefined symbol of type Object: that of reserved shared memory
  UnplacedConstant, // a constant that the next link places
  // The value is known now.
  Placed,          // a constant, or a section's part from this object
  PlacedUnnamed,   // the same, but its symbol is not part of the output
  Internal,        // a compiler's constant, or in executables a shared variable
  InternalUnnamed, // the same, but its symbol is not part of the output
  Null,            // no address: null, absolute and untyped symbols
  // It is not part of the output.
  DiscardedFunction, // or weak and undefined
  DiscardedData,     // in a section that is not part of the output
  // Others.
  Image,        // a texture, sampler or surface reference
  UnifiedTable, // __UFT*, __UDT*: executables have none
  Ignored,      // relocations against it are dropped
  Lost,         // what the program needs and the output does not have: an error
};

// The treatment of a relocation.
enum class RelocAction : u8 {
  Drop,       // leaves no trace: the bytes stay as they are
  Keep,       // for the loader, or for the next link
  KeepAsNone, // kept as number 0 without a symbol: a no-op
  KeepImage,  // kept, and the offset of the first image slot is stored
  Fold,       // the value is stored
  FoldAddend, // stored, but the symbol's address plays no part
  FoldImage,  // the offset of the image's slot is stored, or 0
  Clear,      // the field becomes 0
  Refuse,     // an error
};

[[nodiscard]] constexpr bool folds(RelocAction action) {
  return action == RelocAction::Fold || action == RelocAction::FoldAddend ||
         action == RelocAction::FoldImage;
}

// True if bytes of the section are changed.
[[nodiscard]] constexpr bool stores(RelocAction action) {
  return folds(action) || action == RelocAction::Clear;
}

// The properties of a link that the rules ask for.
struct RelocRuleInputs {
  LinkPolicy policy;
  bool has_mercury = false; // a link of Mercury code, or of the SASS beside it
  bool sass_plane = false;  // the latter
};

// Applies the rules. `row` is the row of `number`, or null; numbers without a row are unknown,
// except arch::kRelocNone.
[[nodiscard]] RelocAction action_of(const RelocRuleInputs &link, TargetKind target, u32 number,
                                    const arch::RelocInfo *row);

} // namespace culink
