// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Numbers of the format as words, and back: `alloc+exec`, `kernel`, FUNC, R_CUDA_32. A number that
// has no word is written as a number, and a number is taken wherever a word is.
#pragma once

#include <string>
#include <type_traits>

#include "yaml/document/node_reader.h"

namespace culink::text {

enum class Words : u8 {
  SectionFlags, // write, alloc, exec, info, cuinfo, tkinfo, mercury, joined by '+'
  SymbolOther,  // kernel, managed, global, shared, constant and a visibility, joined by '+'
  SegmentFlags, // read, write, exec, joined by '+'
  SectionType,
  SymbolType,
  SymbolBinding,
  SegmentType,
  FileType, // in lower case
  RelocationType,
};

[[nodiscard]] std::string words_of(Words kind, u64 number);
[[nodiscard]] u64 read_words(Words kind, const Node &node, Complaints &complaints);

template <class Number>
  requires std::is_enum_v<Number>
[[nodiscard]] std::string words_of(Words kind, Number number) {
  return words_of(kind, static_cast<u64>(number));
}
// The value of a key that may be missing: then `number` stays.
template <class Number>
void read_words(Words kind, const Node *node, Number &number, Complaints &complaints) {
  if (node)
    number = static_cast<Number>(read_words(kind, *node, complaints));
}

} // namespace culink::text
