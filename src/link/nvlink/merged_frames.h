// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <functional>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "link/nvlink/merged_debug.h"
#include "link/nvlink/section_owners.h"

namespace culink::nvlink {

struct FrameSources {
  const Program &program; // of Mercury code
  std::span<const InputObject> sass;
  const Layout &layout;
  OutId section;             // .debug_frame
  const MergedDebug &merged; // functions whose frames a finalizer has merged already
  const AliasOwners &alias_owners;
  std::unordered_map<u32, u32> count; // by EntityId: frames of the function in the output
  // What a finalizer has made for a function of an object, or nothing.
  std::function<const FinalizedDebug *(u32 object, EntityId function)> finalized;
};

// Call frames of functions with several definitions, or with an alias that takes their code, as the
// emulated nvlink writes them (Q106, Q107). Frames stay as they are unless the dialect has these
// defects.
class FrameMerger {
public:
  explicit FrameMerger(const FrameSources &sources);

  // The frame to be written for the next one of a function, which would be `frame`; its Mercury
  // form is `mercury`. Valid until the next call.
  [[nodiscard]] FinalizedDebug::Frame choose(EntityId function, FinalizedDebug::Frame frame,
                                             FinalizedDebug::Frame mercury);

private:
  std::unordered_map<u32, std::vector<u8>> merged_; // by EntityId: its first FDE
  const AliasOwners &alias_owners_;
  std::unordered_set<u32> done_; // EntityIds whose first FDE was chosen
  std::vector<u8> empty_frame_;
};

} // namespace culink::nvlink
