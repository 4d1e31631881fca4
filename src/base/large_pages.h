// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/types.h"

namespace culink {

inline constexpr u64 kLargePage = u64{2} << 20;
inline constexpr u64 kPartOfPage = kLargePage / 8; // what take_part_of_page rounds up to

// What memory holds at first. Whoever fills all of it need not wait until it is cleared.
enum class FirstContent : u8 { Zeros, Anything };

// Memory from the system in large pages if there are any: a page fault for each 4 KB of a large
// table takes longer than filling it. Null: there is none.
[[nodiscard]] u8 *map_large_pages(u64 size, FirstContent content = FirstContent::Zeros);
void unmap_large_pages(u8 *bytes, u64 size);
// The same if only the first `touched` bytes have been used: the rest is not worth keeping, because
// the system has no pages there yet. Precondition: `size` is a number of whole large pages.
void unmap_large_pages(u8 *bytes, u64 size, u64 touched);

// Part of a page that is kept (see below), for a table that does not fill it. Null: none is free,
// and the table had better be in the heap.
[[nodiscard]] u8 *take_part_of_page(u64 size);
// False: the bytes are none of these.
[[nodiscard]] bool return_part_of_page(u8 *bytes, u64 size);

// While one of these lives, large pages that are unmapped are kept for whoever maps some next. The
// system clears each page before it gives it to a process, which takes longer than most passes of a
// link do with what they put there; and the tables of one pass are freed when those of the next are
// made. Like the heap, this is for all threads of the process; the last one gives all back.
class KeepLargePages {
public:
  KeepLargePages();
  ~KeepLargePages();
  KeepLargePages(const KeepLargePages &) = delete;
  KeepLargePages &operator=(const KeepLargePages &) = delete;
};

} // namespace culink
