// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "support/types.h"

namespace culink {

// Leaves new elements of a vector uninitialised. For large tables that several threads fill after
// resize(): a single thread would clear them. Each element that resize() adds must be assigned
// before it is read.
template <typename T> struct UninitializedAllocator {
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);
  using value_type = T;

  [[nodiscard]] T *allocate(size_t count) { return std::allocator<T>().allocate(count); }
  void deallocate(T *elements, size_t count) { std::allocator<T>().deallocate(elements, count); }
  void construct(T *) noexcept {}
  template <typename... Arguments> void construct(T *at, Arguments &&...arguments) {
    std::construct_at(at, std::forward<Arguments>(arguments)...);
  }
  friend bool operator==(UninitializedAllocator, UninitializedAllocator) { return true; }
};

template <typename T> using RawVector = std::vector<T, UninitializedAllocator<T>>;

} // namespace culink
