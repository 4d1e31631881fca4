// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "elf/elf_view.h"
#include "support/bytes.h"

namespace culink::elf {

// The beginning of a name: at most eight characters, compared as one number.
class NameStart {
public:
  constexpr explicit NameStart(std::string_view start) {
    for (size_t i = 0; i < start.size() && i < sizeof word_; ++i) {
      word_ |= static_cast<u64>(static_cast<u8>(start[i])) << (8 * i);
      mask_ |= u64{0xff} << (8 * i);
    }
  }
  // `name`: the first eight bytes at a name, its NUL and the next name included.
  [[nodiscard]] constexpr bool begins(u64 name) const { return (name & mask_) == word_; }

private:
  u64 word_ = 0;
  u64 mask_ = 0;
};

struct SectionScan {
  bool all_named = true;       // every section but the first has a name
  u32 count = 0;               // of all sections
  std::vector<Section> wanted; // those whose names begin as asked for, in their order
};

// A quick search of the section table of a 64-bit file for the few sections that matter: large
// libraries have a million others. Checks all that ElfView::open_sections checks. Nothing when a
// check fails, or when the file is of an unusual form; open_sections then has the answer.
[[nodiscard]] std::optional<SectionScan> scan_sections(ByteSpan file,
                                                       std::span<const NameStart> starts);

} // namespace culink::elf
