// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Converts a device ELF to and from its text form. docs/text-format.md describes both forms.
#pragma once

#include <string>
#include <vector>

#include "elf/elf_view.h"
#include "support/result.h"
#include "support/types.h"
#include "yaml/document/document.h"

namespace culink::text {

// Returns the exact form: assemble(describe_exact(file)) gives the file's bytes, also for a
// tolerant view of a damaged file. Its size is proportional to the file: bytes that several
// sections share are written once.
[[nodiscard]] Node describe_exact(const elf::ElfView &file);

// The minimal form: the text that a user would write for a file that links and runs alike.
// `left_out` lists the omitted contents. Files without a known target are refused.
struct MinimalDescription {
  Node document;
  std::vector<std::string> left_out;
};
[[nodiscard]] Result<MinimalDescription> describe_minimal(const elf::ElfView &file);

// Returns the file that a document describes: in the exact form if it lists sections or has `cubin:
// exact`, else in the minimal form. The error names line and key. The size is at most
// kMaxImageBytes.
[[nodiscard]] Result<std::vector<u8>> assemble(const Node &document);

[[nodiscard]] Result<std::vector<u8>> assemble_exact(const Node &document);
[[nodiscard]] Result<std::vector<u8>> assemble_minimal(const Node &document);

} // namespace culink::text
