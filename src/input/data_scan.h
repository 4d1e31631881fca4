// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <functional>
#include <optional>
#include <string_view>
#include <vector>

#include "input/fatbin.h"

namespace culink {

// A fatbin or a cubin that lies in data.
struct CodeInData {
  ByteSpan bytes;                           // all of it
  std::optional<FatbinContainer> container; // offsets count from the beginning of the data; nothing
                                            // for a cubin
};

// Told of bytes that are not needed for now, so that mapped pages can be given back.
using PageRelease = std::function<void(ByteSpan)>;

// The fatbins and cubins in data of a program, at any address that is a multiple of four. A number
// that happens to be that of a header is not taken for one: all headers that follow from it have to
// be right.
[[nodiscard]] std::vector<CodeInData> scan_data(ByteSpan data, const PageRelease &release);

// A part of a host file that is loaded as data: a section, or a segment where there are no
// sections.
struct LoadedData {
  std::string_view name;
  ByteSpan bytes;
};

// What is loaded of a host file and is neither code nor in one of the sections for fatbins.
[[nodiscard]] std::vector<LoadedData> loaded_data(ByteSpan file);

} // namespace culink
