// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <span>

#include "link/mercury/sass_context.h"

namespace culink {

// Bytes of a section that the linker itself has put together.
struct SectionBytes {
  OutId section;
  std::vector<u8> bytes;
};

// The output of a finalizer for the objects of a link.
struct FinalizedCode {
  std::vector<FinalizedObject> objects; // by ObjectId; or empty: nothing was finalized
  nvlink::MergedDebug merged;           // see link/nvlink; mostly empty
  bool refused = false;                 // by the finalizer: all code stays as it was compiled
};

// Gives every object with code in the output to the finalizer, if there is one.
[[nodiscard]] FinalizedCode finalize_code(const SassContext &context, Diagnostics &diag);

// The SASS of one function in the output.
struct SassCode {
  SymbolRef definition; // none: this section has no code
  u32 section = 0;      // of the object
  ByteSpan compiled;
  ByteSpan text; // compiled, or finalized
  ByteSpan capsule;
  const FinalizedFunction *finalized = nullptr;

  // True if instructions are not where the compiler has put them.
  [[nodiscard]] bool moves() const { return finalized && !finalized->moved.is_identity(); }
  // From an offset in the compiled code to one in `text`. Precondition: moves().
  [[nodiscard]] u64 moved(u64 offset) const { return finalized->moved.offset(offset); }
  [[nodiscard]] u64 moved_label(u64 offset) const { return finalized->moved.label(offset); }
};

struct SassCodeList {
  std::vector<SassCode> by_text; // by OutId of a text section

  [[nodiscard]] const SassCode &operator[](OutId text) const { return by_text[text.value]; }
  // The code that a symbol is in, or nothing.
  [[nodiscard]] const SassCode *find(const Layout &layout, EntityId function) const {
    const OutId text = layout.placement.address_of[function.value].section;
    return text.valid() && by_text[text.value].definition.valid() ? &by_text[text.value] : nullptr;
  }
};

// Borrows the bytes of the finalized objects.
[[nodiscard]] SassCodeList read_code(const SassContext &context,
                                     std::span<const FinalizedObject> finalized, Diagnostics &diag);

// Returns by OutId of a text section whether its PREEXIT_USED is 1 (Q150). The compiler records it
// for a function's own code; a kernel of an executable gets it from the functions that it calls,
// too.
[[nodiscard]] std::vector<bool> find_preexits(const SassContext &context, const SassCodeList &code);

// Returns the capsules, with the values that are stored into the SASS. These are sorted by section.
[[nodiscard]] std::vector<SectionBytes> fill_capsules(const SassContext &context,
                                                      const SassCodeList &code,
                                                      std::span<const FoldedRelocation> values,
                                                      Diagnostics &diag);

} // namespace culink
