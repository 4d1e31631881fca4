// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bytes and machine code as text. A value is one line or many (a list, or a block of lines); what
// follows a '#' on a line is a comment. A line is one of
//   0123abcd ...   bytes in hexadecimal, blanks between bytes allowed
//   zero xN        N zero bytes
// and in code also
//   0x0000000000007918 0x000fc00000000000   one instruction: low word, high word
//   nop            one NOP, `nop xN` several
#pragma once

#include <string>
#include <vector>

#include "support/types.h"
#include "yaml/document/node_reader.h"

namespace culink::text {

inline constexpr u64 kInstructionSize = 16;

// Bytes of lines as above.
[[nodiscard]] Node data_node(ByteSpan bytes);
[[nodiscard]] std::vector<u8> read_data(const Node &node, Complaints &complaints);

// Precondition of the first: a multiple of kInstructionSize.
[[nodiscard]] Node code_node(ByteSpan bytes);
[[nodiscard]] std::vector<u8> read_code(const Node &node, Complaints &complaints);

// 32-bit words as lines of numbers.
[[nodiscard]] Node number_lines_node(ByteSpan words);
[[nodiscard]] std::vector<u8> read_number_lines(const Node &node, Complaints &complaints);

// Hexadecimal digits in one scalar.
[[nodiscard]] std::string hex_string(ByteSpan bytes);
[[nodiscard]] std::vector<u8> read_hex(const Node &node, Complaints &complaints);

} // namespace culink::text
