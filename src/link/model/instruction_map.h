// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <utility>
#include <vector>

#include "support/result.h"
#include "support/types.h"

namespace culink {

// The new offsets of a function's instructions after its code was finalized again. Relocations,
// return addresses, branch tables and line tables are moved with them.
class InstructionMap {
public:
  InstructionMap() = default; // no instruction moved
  // By old number the new one, and one more for the end of the code.
  explicit InstructionMap(std::vector<u32> moved) : moved_(std::move(moved)) {}

  [[nodiscard]] bool is_identity() const { return moved_.empty(); }

  // From a byte offset in the old code to one in the new. A removed instruction maps to the one
  // that follows it, the end to the end; offsets beyond that do not change.
  [[nodiscard]] u64 offset(u64 old_offset) const {
    const u64 number = old_offset / kInstruction;
    if (number >= moved_.size())
      return old_offset;
    return moved_[number] * kInstruction + old_offset % kInstruction;
  }
  // The new offset of a branch target: instructions that were inserted before the target are
  // executed, too.
  [[nodiscard]] u64 label(u64 old_offset) const {
    const u64 number = old_offset / kInstruction;
    if (number + 1 >= moved_.size() || old_offset % kInstruction != 0)
      return offset(old_offset);
    for (u64 before = number; before-- > 0;)
      if (moved_[before] != moved_[before + 1]) // it is still there
        return (moved_[before] + u64{1}) * kInstruction;
    return 0;
  }

private:
  static constexpr u64 kInstruction = 16; // bytes

  std::vector<u32> moved_;
};

// One form of a function: its machine code and its capsule.
struct CodeWithCapsule {
  ByteSpan text;
  ByteSpan capsule;
};

// Fails only if the two forms cannot be compared in reasonable time.
[[nodiscard]] Result<InstructionMap> map_instructions(const CodeWithCapsule &before,
                                                      const CodeWithCapsule &after);

} // namespace culink
