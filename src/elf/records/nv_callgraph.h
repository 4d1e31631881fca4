// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// .nv.callgraph and .nv.prototype: pairs of u32. In the call graph a pair (0, -n) opens part n.
#pragma once

#include <vector>

#include "elf/codec.h"

namespace culink::elf {

// The meaning of the pairs in a part of the call graph. Both words are symbol indices, except
// prototypes, which are offsets in .strtab of a signature such as "#ii".
enum class CallPart : u32 {
  Unmarked = 0,        // pairs before the first marker; no tool writes them
  Calls = 1,           // (caller, callee)
  AddressTaken = 2,    // (function, prototype)
  IndirectCalls = 3,   // (caller, prototype)
  IndirectTargets = 4, // (caller, possible callee)
};

// True if the second word of a part's pairs is a prototype, not a symbol.
[[nodiscard]] constexpr bool second_is_prototype(CallPart part) {
  return part == CallPart::AddressTaken || part == CallPart::IndirectCalls;
}

struct CallPair {
  u32 first = 0;
  u32 second = 0;
  friend bool operator==(const CallPair &, const CallPair &) = default;
};

struct CallGroup {
  CallPart part = CallPart::Unmarked;
  std::vector<CallPair> pairs;
  u64 offset = 0; // of its marker, or of its first pair if unmarked; not encoded
};

struct CallGraph {
  std::vector<CallGroup> groups; // in file order: all four parts, once, ascending; before toolkit
                                 // 12.0 the first three
  ByteSpan rest;
  std::vector<Violation> violations;

  // Returns all pairs of a part. A well-formed graph has them in one group.
  [[nodiscard]] std::vector<CallPair> pairs(CallPart part) const;

  // True if only part 4 is missing.
  [[nodiscard]] bool lacks_targets() const;
};

[[nodiscard]] CallGraph decode_call_graph(ByteSpan section);
[[nodiscard]] std::vector<u8> encode_call_graph(const CallGraph &graph);

// A device function (never a kernel) and its signature.
struct Prototype {
  u32 symbol = 0;
  u32 string = 0; // offset in .strtab
  friend bool operator==(const Prototype &, const Prototype &) = default;
};

using PrototypeSection = RowSection<Prototype>;

[[nodiscard]] inline PrototypeSection decode_prototypes(ByteSpan section) {
  return decode_rows<Prototype>(section, "trailing bytes, a record has 8");
}

} // namespace culink::elf
