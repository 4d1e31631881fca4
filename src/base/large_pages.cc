// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The system gives large pages to memory that is mapped for itself and asks for them, where a whole
// one fits. They are optional: kernels without them refuse, which is no error.
//
// Pages that are kept lie where their tables were. A table that is larger than any such place gets
// a new one, and the system moves pages there, which takes a microsecond for each. A smaller table
// gets some parts of a page. Only pages that are free anyway are cut up: elsewhere it would take a
// new one for what the heap has room for.
#include "base/large_pages.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <mutex>
#include <span>
#include <sys/mman.h>
#include <type_traits>

namespace culink {

namespace {

u64 whole_pages(u64 size) {
  return (size + kLargePage - 1) / kLargePage * kLargePage;
}

// How much of a mapping of `size` bytes asks for large pages: clearing a whole one at the end is
// quicker than the page faults of half of it.
u64 part_in_large_pages(u64 size) {
  return whole_pages(size - std::min(size, kLargePage / 2));
}

// From the beginning of a large page on, because the parts of pages at both ends would cost
// hundreds of page faults. What is mapped too much to find one is given back.
u8 *map_aligned(u64 room) {
  void *mapped = ::mmap(nullptr, room + kLargePage, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED)
    return nullptr;
  u8 *bytes = static_cast<u8 *>(mapped);
  const u64 before = whole_pages(reinterpret_cast<std::uintptr_t>(mapped)) -
                     reinterpret_cast<std::uintptr_t>(mapped);
  if (before != 0)
    ::munmap(bytes, before);
  ::munmap(bytes + before + room, kLargePage - before);
  return bytes + before;
}

using Pages = std::span<u8>; // whole large pages

// A page that several tables share.
struct CutPage {
  u8 *begin = nullptr;
  u32 used = 0; // a bit for each part

  [[nodiscard]] bool has(const u8 *bytes) const {
    return bytes >= begin && bytes < begin + kLargePage;
  }
  [[nodiscard]] u8 *take(u32 count) {
    const u32 wanted = (u32{1} << count) - 1;
    for (u32 first = 0; first + count <= kLargePage / kPartOfPage; ++first)
      if ((used & wanted << first) == 0) {
        used |= wanted << first;
        return begin + first * kPartOfPage;
      }
    return nullptr;
  }
  void put(const u8 *bytes, u32 count) {
    used &= ~(((u32{1} << count) - 1) << static_cast<u64>(bytes - begin) / kPartOfPage);
  }
};

u32 parts_for(u64 size) {
  return static_cast<u32>((size + kPartOfPage - 1) / kPartOfPage);
}

// Pages that nobody uses, in a few places. Never destroyed: others may be freed after it.
class FreePages {
public:
  void keep() {
    const std::lock_guard lock(mutex_);
    ++keepers_;
  }
  void release() {
    const std::lock_guard lock(mutex_);
    if (--keepers_ == 0)
      unmap_all();
  }
  // False: they are not kept.
  [[nodiscard]] bool put(Pages pages) {
    const std::lock_guard lock(mutex_);
    return put_locked(pages);
  }
  [[nodiscard]] Pages take(u64 size) {
    const std::lock_guard lock(mutex_);
    return take_locked(size);
  }
  // Parts of one page that follow each other. Null: there are none.
  [[nodiscard]] u8 *take_parts(u32 count) {
    const std::lock_guard lock(mutex_);
    for (CutPage &page : cut())
      if (u8 *bytes = page.take(count))
        return bytes;
    if (cut_count_ == cut_.size() || count_ == 0)
      return nullptr;
    return (cut_[cut_count_++] = {take_locked(kLargePage).data()}).take(count);
  }
  // False: they are none of these.
  [[nodiscard]] bool put_parts(u8 *bytes, u32 count) {
    const std::lock_guard lock(mutex_);
    const auto page =
        std::ranges::find_if(cut(), [bytes](const CutPage &p) { return p.has(bytes); });
    if (page == cut().end())
      return false;
    page->put(bytes, count);
    if (page->used != 0)
      return true;
    const Pages whole(page->begin, kLargePage);
    *page = cut_[--cut_count_];
    if (!put_locked(whole))
      ::munmap(whole.data(), whole.size());
    return true;
  }

private:
  // At most `size` bytes, from one place: the smallest that has as many, or the largest.
  [[nodiscard]] Pages take_locked(u64 size) {
    const auto is_better = [size](Pages a, Pages b) {
      const bool enough = a.size() >= size;
      if (enough != (b.size() >= size))
        return enough;
      return enough ? a.size() < b.size() : a.size() > b.size();
    };
    const auto best = std::ranges::min_element(places(), is_better);
    if (best == places().end())
      return {};
    const Pages taken = best->first(std::min(best->size(), size));
    *best = best->subspan(taken.size());
    if (best->empty())
      *best = places_[--count_];
    return taken;
  }
  [[nodiscard]] bool put_locked(Pages pages) {
    if (keepers_ == 0 || count_ == places_.size())
      return false;
    places_[count_++] = pages;
    return true;
  }
  void unmap_all() {
    for (const Pages pages : places())
      ::munmap(pages.data(), pages.size());
    count_ = 0;
  }
  [[nodiscard]] std::span<Pages> places() { return std::span(places_).first(count_); }
  [[nodiscard]] std::span<CutPage> cut() { return std::span(cut_).first(cut_count_); }

  std::mutex mutex_;
  u32 keepers_ = 0;
  u32 count_ = 0;
  std::array<Pages, 256> places_;
  u32 cut_count_ = 0;
  std::array<CutPage, 32> cut_; // pages of which somebody has a part
};

FreePages &free_pages() {
  static FreePages pages;
  static_assert(std::is_trivially_destructible_v<FreePages>);
  return pages;
}

// Moves free pages to the beginning of a mapping, as many as there are. Returns the bytes they
// have.
u64 move_free_pages(Pages first, u8 *to, u64 size) {
  u64 moved = 0;
  for (Pages pages = first; !pages.empty(); pages = free_pages().take(size - moved)) {
    if (::mremap(pages.data(), pages.size(), pages.size(), MREMAP_MAYMOVE | MREMAP_FIXED,
                 to + moved) == MAP_FAILED)
      ::munmap(pages.data(), pages.size()); // they came from several places themselves
    else
      moved += pages.size();
  }
  return moved;
}

} // namespace

u8 *map_large_pages(u64 size, FirstContent content) {
  constexpr u64 kMost = u64{1} << 47; // nobody has as much, and sums stay in range
  if (size > kMost)
    return nullptr;
  const u64 room = whole_pages(size);
  const u64 large = part_in_large_pages(size);
  const Pages kept = free_pages().take(room);
  u8 *bytes = kept.data();
  u64 used = kept.size();
  if (used < room) {
    bytes = map_aligned(room);
    if (!bytes) {
      if (used != 0)
        ::munmap(kept.data(), used);
      return nullptr;
    }
    used = move_free_pages(kept, bytes, room);
    if (used < large)
      ::madvise(bytes + used, large - used, MADV_HUGEPAGE);
  }
  if (content == FirstContent::Zeros)
    std::memset(bytes, 0, std::min(used, size));
  return bytes;
}

void unmap_large_pages(u8 *bytes, u64 size) {
  const u64 room = whole_pages(size), large = part_in_large_pages(size);
  if (large == 0 || !free_pages().put({bytes, large}))
    ::munmap(bytes, room);
  else if (large < room)
    ::munmap(bytes + large, room - large);
}

void unmap_large_pages(u8 *bytes, u64 size, u64 touched) {
  const u64 used = whole_pages(touched);
  if (used != 0)
    unmap_large_pages(bytes, used);
  if (used < size)
    ::munmap(bytes + used, size - used);
}

u8 *take_part_of_page(u64 size) {
  return size > kLargePage ? nullptr : free_pages().take_parts(parts_for(size));
}

bool return_part_of_page(u8 *bytes, u64 size) {
  return free_pages().put_parts(bytes, parts_for(size));
}

KeepLargePages::KeepLargePages() {
  free_pages().keep();
}

KeepLargePages::~KeepLargePages() {
  free_pages().release();
}

} // namespace culink
