// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where a later definition of a function has overridden an earlier one, both have a call frame in
// the Mercury plane. When nvlink makes the SASS plane, it puts the instructions of both into the
// first frame and leaves the second one as it is in Mercury code, without any (Q106). The frame of
// a function whose alias takes its code is left like that, too (Q107). A finalizer that is given
// all definitions at once does the same; this is for links without one.
#include "link/nvlink/merged_frames.h"

#include "elf/records/debug_frame.h"
#include "link/nvlink/frame_instructions.h"

namespace culink::nvlink {

using Frame = FinalizedDebug::Frame;

namespace {

// Calls use(function, FDE) for every frame of an accepted definition whose function has several
// frames in the output.
template <typename Use> void for_each_frame(const FrameSources &s, const Use &use) {
  for (u32 o = 0; o < s.sass.size(); ++o) {
    const elf::Section *section =
        find_part(s.sass[o], s.layout.placement.location_of[o], s.section);
    const auto records = section ? elf::split_frames(section->data) : std::nullopt;
    if (!records)
      continue;
    std::unordered_map<u64, ByteSpan> frame_at;
    for (const elf::FrameRecord &record : *records)
      if (!record.is_cie)
        frame_at.emplace(record.offset + elf::kFrameAddress, record.bytes);
    for (const CodeAddress &address : code_addresses(s.sass[o], section->index)) {
      const EntityId function = s.program.symbols.of(ObjectId(o), address.symbol);
      const auto fde = frame_at.find(address.offset);
      if (!function.valid() || fde == frame_at.end() || !s.count.contains(function.value) ||
          s.count.at(function.value) < 2 || s.merged.find(function) ||
          s.program.symbols.outcome(ObjectId(o), address.symbol) != DefinitionOutcome::Accepted)
        continue;
      const FinalizedDebug *made = s.finalized(o, function);
      use(function, made && !made->frames.empty() ? made->frames[0].fde : fde->second);
    }
  }
}

} // namespace

FrameMerger::FrameMerger(const FrameSources &sources) : alias_owners_(sources.alias_owners) {
  if (!sources.program.policy.mixes_debug_info)
    return;
  std::unordered_map<u32, FrameInstructions> instructions_of;
  for_each_frame(sources, [&](EntityId function, ByteSpan fde) {
    const auto instructions = read_frame_instructions(fde);
    if (!instructions)
      return;
    FrameInstructions &all = instructions_of[function.value];
    all.insert(instructions->begin(), instructions->end());
    std::vector<u8> &frame = merged_[function.value];
    frame = with_frame_instructions(frame.empty() ? fde : ByteSpan(frame), all);
  });
}

Frame FrameMerger::choose(EntityId function, Frame frame, Frame mercury) {
  const auto first = merged_.find(function.value);
  const bool is_taken = alias_owners_.owner_of.contains(function.value);
  if (is_taken || (first != merged_.end() && !done_.insert(function.value).second)) {
    empty_frame_ = with_frame_instructions(mercury.fde, {});
    return {mercury.cie, empty_frame_};
  }
  return first == merged_.end() ? frame : Frame{frame.cie, first->second};
}

} // namespace culink::nvlink
