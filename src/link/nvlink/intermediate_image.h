// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <span>
#include <vector>

#include "elf/elf_file.h"
#include "link/model/layout.h"
#include "link/resolve/program.h"

namespace culink::nvlink {

// The file that nvlink has before it adds a SASS plane to linked Mercury code.
struct IntermediateImage {
  const Program &program;
  const Layout &layout;
  const elf::ElfFile &elf;
  std::span<const OutId> order;            // of its sections
  std::span<const elf::SectionId> content; // by OutId: what has the Mercury plane's content
  u32 section_count = 0;                   // of `elf`, those that are only names included
  ByteSpan compat;                         // .nv.compat, with what finalizing adds
};

// Bytes of the Mercury counterpart of memory that has no bytes: nothing, or, where the dialect has
// that defect, what follows the section in the intermediate image (Q102).
[[nodiscard]] std::vector<u8> bytes_of_memory(const IntermediateImage &image, OutId memory);

} // namespace culink::nvlink
