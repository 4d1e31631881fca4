// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Images by index. Code that was compiled with -G and refers to textures and samplers apart
// loads the number of each by `MOV R, index; LDC R, c[0][R + base]`. The relocation is at the first
// instruction; the base, the offset of the first slot in the object, has none. The linker stores
// the index of the slot, and into the load where slots begin in the output.
//
// What may surprise: the load has to be found by decoding the instructions after the first one. If
// there is none, the value stays the offset of the slot.
#include "link/relocs/image_index.h"

#include <algorithm>
#include <optional>

#include "arch/instructions.h"
#include "arch/reloc.h"
#include "base/bytes.h"

namespace culink {

using arch::kInstructionSize;

namespace {

// Where the load is in `MOV R, index; LDC R, c[0][R + base]`.
std::optional<u64> find_indexed_load(ByteSpan code, u64 index_offset) {
  constexpr u64 kFarthest = 8; // instructions
  const u64 first = index_offset / kInstructionSize * kInstructionSize;
  for (u64 i = 1; i <= kFarthest; ++i) {
    const u64 at = first + i * kInstructionSize;
    const std::optional<ByteSpan> load = slice(code, at, kInstructionSize);
    if (!load)
      break;
    if (const arch::InstructionInfo *row = arch::find_instruction(*load);
        row && row->loads_from_bank_0 &&
        (*load)[arch::kSourceByte] == code[first + arch::kDestinationByte])
      return at;
  }
  return std::nullopt;
}

} // namespace

RelocationPlan index_images(const Layout &layout, const ImagePlan &images, const CodeOf &code_of,
                            RelocationPlan plan) {
  const u64 base = images.slot_base;
  const arch::RelocInfo &index = arch::reloc_for(arch::RelocRole::ImageIndex);
  const arch::RelocInfo &first = arch::reloc_for(arch::RelocRole::ImageBase);
  std::vector<FoldedRelocation> loads;
  for (FoldedRelocation &value : plan.folded) {
    if (!value.image_slot || value.row != &index ||
        !layout.sections.function(value.section).valid())
      continue;
    const auto load = find_indexed_load(code_of(value.section), value.offset);
    if (!load)
      continue;
    value.value.value -= base;
    loads.push_back({.section = value.section, .offset = *load, .row = &first, .value = {base, 0}});
  }
  if (loads.empty())
    return plan;
  plan.folded.insert(plan.folded.end(), loads.begin(), loads.end());
  std::stable_sort(
      plan.folded.begin(), plan.folded.end(),
      [](const FoldedRelocation &a, const FoldedRelocation &b) { return a.section < b.section; });
  return plan;
}

} // namespace culink
