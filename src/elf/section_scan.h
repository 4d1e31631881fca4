// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "elf/elf_view.h"
#include "support/bytes.h"

namespace culink::elf {

// The prefix of a name: at most eight characters, compared as one number.
class NameStart {
public:
  constexpr explicit NameStart(std::string_view start) {
    for (size_t i = 0; i < start.size() && i < sizeof word_; ++i) {
      word_ |= static_cast<u64>(static_cast<u8>(start[i])) << (8 * i);
      mask_ |= u64{0xff} << (8 * i);
    }
  }
  // `name`: the first eight bytes of a name, which may include its NUL and the next name.
  [[nodiscard]] constexpr bool begins(u64 name) const { return (name & mask_) == word_; }

private:
  u64 word_ = 0;
  u64 mask_ = 0;
};

struct SectionScan {
  bool all_named = true;       // every section but the first has a name
  u32 count = 0;               // of all sections
  std::vector<Section> wanted; // sections with one of the requested prefixes, in file order
};

// A fast scan of the section table of a 64-bit file for the few sections of interest: large
// libraries have a million others. Checks everything that ElfView::open_sections checks. Returns
// nullopt if a check fails or the file is unusual; open_sections then gives the error or the
// sections.
[[nodiscard]] std::optional<SectionScan> scan_sections(ByteSpan file,
                                                       std::span<const NameStart> starts);

} // namespace culink::elf
