// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "inspect/reader/functions.h"

namespace culink::inspect {

// A range of a file that has an owner.
struct OwnedRange {
  u64 begin = 0;
  u64 end = 0;
  std::string_view kind;
  u32 function = kNoFunction;
};

// Bytes of one kind that belong to one function, or to none.
struct ImagePart {
  std::string_view kind; // "text", "constant", "padding", ...
  u32 function = kNoFunction;
  u64 size = 0;
};

// Gives each of the first `size` bytes of a file to the first range that contains it, and the rest
// to "padding". The sum of all parts is `size`; the parts of one function are adjacent.
[[nodiscard]] std::vector<ImagePart> divide(u64 size, std::vector<OwnedRange> ranges);

struct SizedFunction : FunctionRef {
  u64 own = 0;                // its code, records, constants and relocations
  std::optional<u64> reached; // `own` of it and all its callees; nullopt if
                              // there are too many to follow
  std::vector<u32> calls;     // positions in ImageParts::functions, ascending
};

struct ImageParts {
  std::vector<SizedFunction> functions; // in symbol order
  std::vector<ImagePart> parts;         // add up to the size of the file
};

// Returns the owners of all bytes of a cubin. Names are views into the file. Takes tolerant views,
// too.
[[nodiscard]] ImageParts measure_image(const elf::ElfView &image);

} // namespace culink::inspect
