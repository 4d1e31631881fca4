// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Numbers of the format as words, and back: `alloc+exec`, `kernel`, FUNC, R_CUDA_32. A number that
// has no word is written as a number, and a number is taken wherever a word is.
#pragma once

#include <string>

#include "elf/constants.h"
#include "text/document/node_reader.h"

namespace culink::text {

// sh_flags: write, alloc, exec, info, cuinfo, tkinfo, mercury, joined by '+'.
[[nodiscard]] std::string section_flags_text(u64 flags);
[[nodiscard]] u64 read_section_flags(const Node &node, Complaints &complaints);

// st_other: kernel, managed, global, shared, constant and a visibility, joined by '+'.
[[nodiscard]] std::string symbol_other_text(u8 other);
[[nodiscard]] u8 read_symbol_other(const Node &node, Complaints &complaints);

// p_flags: r, w, x in this order.
[[nodiscard]] std::string segment_flags_text(u32 flags);
[[nodiscard]] u32 read_segment_flags(const Node &node, Complaints &complaints);

[[nodiscard]] std::string section_type_text(elf::SectionType type);
[[nodiscard]] elf::SectionType read_section_type(const Node &node, Complaints &complaints);
[[nodiscard]] std::string symbol_type_text(elf::SymbolType type);
[[nodiscard]] elf::SymbolType read_symbol_type(const Node &node, Complaints &complaints);
[[nodiscard]] std::string symbol_binding_text(elf::SymbolBinding binding);
[[nodiscard]] elf::SymbolBinding read_symbol_binding(const Node &node, Complaints &complaints);
[[nodiscard]] std::string segment_type_text(elf::SegmentType type);
[[nodiscard]] elf::SegmentType read_segment_type(const Node &node, Complaints &complaints);
[[nodiscard]] std::string file_type_text(elf::FileType type);
[[nodiscard]] elf::FileType read_file_type(const Node &node, Complaints &complaints);
[[nodiscard]] std::string relocation_type_text(u32 type);
[[nodiscard]] u32 read_relocation_type(const Node &node, Complaints &complaints);

} // namespace culink::text
