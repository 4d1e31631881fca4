// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The text form of a device ELF, from bytes and to bytes. docs/text-format.md describes both forms.
#pragma once

#include <string>
#include <vector>

#include "elf/elf_view.h"
#include "support/result.h"
#include "support/types.h"
#include "yaml/document/document.h"

namespace culink::text {

// The exact form: assemble(describe_exact(file)) gives the file's bytes, also for a tolerant view
// of a broken file. Its size is in proportion to the file: bytes that several sections share are
// written once.
[[nodiscard]] Node describe_exact(const elf::ElfView &file);

// The minimal form: what a person would write to get a file that links and runs alike. What it has
// no place for is named in `left_out`. Refuses a file without a known target.
struct MinimalDescription {
  Node document;
  std::vector<std::string> left_out;
};
[[nodiscard]] Result<MinimalDescription> describe_minimal(const elf::ElfView &file);

// The file that a document describes: of the exact form when it lists sections or says so, else of
// the minimal one. The error names line and key. Nothing larger than kMaxImageBytes is made.
[[nodiscard]] Result<std::vector<u8>> assemble(const Node &document);

[[nodiscard]] Result<std::vector<u8>> assemble_exact(const Node &document);
[[nodiscard]] Result<std::vector<u8>> assemble_minimal(const Node &document);

} // namespace culink::text
