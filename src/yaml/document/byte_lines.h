// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "support/string_index.h"
#include "support/types.h"
#include "yaml/document/document.h"
#include "yaml/document/values.h"

namespace culink::text {

// Bytes and machine code as text. A value is one line or many (a list, or a block of lines); what
// follows a '#' on a line is a comment. A line is one of
//   0123abcd ...   bytes in hexadecimal, blanks between bytes allowed
//   zero xN        N zero bytes
// and in code also
//   0x0000000000007918 0x000fc00000000000   one instruction: low word, high word
//   nop            one NOP, `nop xN` several

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

// A string table and where each of its strings starts. A string is found where it is complete for
// the first time, never as the end of another; "" is offset 0.
class StringPlaces {
public:
  StringPlaces() = default;
  // The bytes are borrowed.
  explicit StringPlaces(ByteSpan table);

  [[nodiscard]] std::optional<u32> find(std::string_view text) const;
  // Up to its last NUL, so that every offset inside starts a string.
  [[nodiscard]] ByteSpan table() const { return table_; }

private:
  StringIndex index_;
  std::vector<u32> offsets_; // by number in index_
  ByteSpan table_;
};

// The table as a list: strings as they follow the leading NUL, {zeros: N} for N empty ones,
// {names: N} for the next N names of `names` that are not in the table yet. Nothing when the bytes
// are no such table (they do not begin and end with NUL).
[[nodiscard]] std::optional<Node> string_list_node(ByteSpan table,
                                                   std::span<const std::string_view> names);

// The bytes of a list, and of every name of `names` behind it that the list did not place.
[[nodiscard]] std::vector<u8> read_string_list(std::span<const Node> list,
                                               std::span<const std::string_view> names,
                                               Complaints &complaints);

} // namespace culink::text
