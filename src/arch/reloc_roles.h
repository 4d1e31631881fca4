// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Relocations that a pass has to name, by what they are for. Passes write no relocation numbers.
#pragma once

#include "arch/reloc.h"

namespace culink::arch {

// The form of the code that a relocation is for.
enum class Plane : u8 { Sass, Mercury };

enum class ImageKind : u8 { Texture, Sampler, Surface };

// The relocation by which the loader stores the index of an image into its slot.
[[nodiscard]] const RelocInfo &image_slot_reloc(ImageKind kind, Plane plane);

enum class RelocRole : u8 {
  CodeAddress, // debug information of SASS: where a function is
  ImageIndex,  // code compiled with -G: the number of an image's slot, as an operand (Q112)
  ImageBase,   // the offset of the first slot in bank 0, in the load beside it
  NewestField, // a field that loaders may not know: .nv.rel.action describes it
};

[[nodiscard]] const RelocInfo &reloc_for(RelocRole role);

// Whether the field has 16 bits in a capsule (Mercury code beside SASS), where others have 32.
[[nodiscard]] bool is_short_in_capsule(const RelocInfo &row);

} // namespace culink::arch
