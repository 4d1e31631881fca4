// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "link/mercury/sass_code.h"

namespace culink {

// Constant bank 0 of a kernel: its parameters. Mercury code does not have this bank.
struct ParameterBank {
  OutId text;
  OutId images; // the kernel's list of images, which becomes the bank; none: a new section is
  const elf::Section *section = nullptr; // of the object
};

// In the order of the code.
[[nodiscard]] std::vector<ParameterBank> find_parameter_banks(const SassContext &context,
                                                              const SassCodeList &code);

// A list of images as the bank of its kernel: parameters, then the slots of the list.
struct ImageBank {
  OutId images;
  ByteSpan parameters;
};

[[nodiscard]] std::vector<ImageBank> find_image_banks(const SassContext &context,
                                                      const SassCodeList &code);

// Banks of compiler constants. `finalized` by ObjectId, or empty.
[[nodiscard]] std::vector<SectionBytes>
fill_compiler_banks(const SassContext &context, const SassCodeList &code,
                    std::span<const FinalizedObject> finalized, Diagnostics &diag);

// True if branch tables have two labels for one word, so that the labels of the machine code are
// lost.
[[nodiscard]] bool has_mixed_tables(const InputObject &mercury, const arch::ArchInfo &arch);

// True if a section holds compiler constants, on the plane of that target.
[[nodiscard]] bool is_compiler_bank(const OutSection &section, const arch::ArchInfo &arch);

} // namespace culink
