// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/large_pages.h"

namespace culink {

// For a large vector whose elements several threads assign after resize(), which then leaves them
// as they are in memory: clearing them would be the work of one thread. Elements that resize() adds
// must be assigned whole before they are read.
template <typename T> struct UninitializedAllocator {
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);
  using value_type = T;
  using is_always_equal = std::true_type;

  [[nodiscard]] T *allocate(size_t count) {
    if (!is_large(count)) {
      u8 *part = is_medium(count) ? take_part_of_page(count * sizeof(T)) : nullptr;
      return part ? reinterpret_cast<T *>(part) : std::allocator<T>().allocate(count);
    }
    u8 *bytes = map_large_pages(count * sizeof(T), FirstContent::Anything);
    // Without memory it fails as a vector does.
    return bytes ? reinterpret_cast<T *>(bytes) : std::allocator<T>().allocate(~size_t{0});
  }
  void deallocate(T *elements, size_t count) {
    if (is_large(count))
      unmap_large_pages(reinterpret_cast<u8 *>(elements), count * sizeof(T));
    else if (!is_medium(count) ||
             !return_part_of_page(reinterpret_cast<u8 *>(elements), count * sizeof(T)))
      std::allocator<T>().deallocate(elements, count);
  }

  void construct(T *) noexcept {}
  template <typename... Arguments> void construct(T *at, Arguments &&...arguments) {
    std::construct_at(at, std::forward<Arguments>(arguments)...);
  }
  friend bool operator==(UninitializedAllocator, UninitializedAllocator) { return true; }

private:
  // Also false where the size would overflow, which std::allocator refuses.
  [[nodiscard]] static bool is_large(size_t count) {
    return count <= (size_t{1} << 40) / sizeof(T) && count * sizeof(T) >= kLargePage;
  }
  // Of a table that is not large: whether it may be in a page that nobody else needs.
  [[nodiscard]] static bool is_medium(size_t count) {
    return count <= kLargePage / sizeof(T) && count * sizeof(T) >= kPartOfPage;
  }
};

template <typename T> using RawVector = std::vector<T, UninitializedAllocator<T>>;

} // namespace culink
