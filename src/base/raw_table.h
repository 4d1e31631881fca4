// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A vector of plain values that can be made longer without writing the new elements. In a large
// link a table has tens of megabytes; threads that fill it would otherwise wait for one that clears
// it first.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/touch_pages.h"
#include "base/types.h"
#include "base/uninitialized.h"

namespace culink {

template <typename T> class RawTable {
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);

public:
  RawTable() = default;
  RawTable(const RawTable &other) {
    extend(other.size_);
    std::copy(other.begin(), other.end(), data());
  }
  RawTable &operator=(const RawTable &other) { return *this = RawTable(other); }
  RawTable(RawTable &&other) noexcept
      : data_(std::move(other.data_)), size_(std::exchange(other.size_, 0)),
        room_(std::exchange(other.room_, 0)) {}
  RawTable &operator=(RawTable &&other) noexcept {
    data_ = std::move(other.data_);
    size_ = std::exchange(other.size_, 0);
    room_ = std::exchange(other.room_, 0);
    return *this;
  }

  [[nodiscard]] u64 size() const { return size_; }
  [[nodiscard]] u64 capacity() const { return room_; }
  [[nodiscard]] T &operator[](u64 i) { return data_.get()[i]; }
  [[nodiscard]] const T &operator[](u64 i) const { return data_.get()[i]; }
  [[nodiscard]] T *data() { return data_.get(); }
  [[nodiscard]] const T *begin() const { return data_.get(); }
  [[nodiscard]] const T *end() const { return data_.get() + size_; }

  void reserve(u64 count) {
    if (count <= room_)
      return;
    std::unique_ptr<T, Free> larger(UninitializedAllocator<T>().allocate(count), Free{count});
    if (size_ != 0)
      std::memcpy(static_cast<void *>(larger.get()), data_.get(), size_ * sizeof(T));
    data_ = std::move(larger);
    room_ = count;
  }
  T &push_back(const T &value) {
    if (size_ == room_) [[unlikely]]
      grow();
    return *std::construct_at(data_.get() + size_++, value);
  }
  // A new last element, whose fields the caller assigns one by one: see store_fields.
  [[nodiscard]] T &add() {
    if (size_ == room_) [[unlikely]]
      grow();
    return data_.get()[size_++];
  }
  // The same where there is room. Precondition: size() < capacity().
  [[nodiscard]] T &add_in_room() { return data_.get()[size_++]; }
  // Makes the table longer and returns the number of the first new element. Each must be given a
  // value by put() before it is read.
  u64 extend(u64 count) {
    if (size_ + count > room_)
      reserve(std::max(size_ + count, size_ * 2));
    return std::exchange(size_, size_ + count);
  }
  // A shorter or longer table; the same is true of new elements.
  void resize(u64 count) {
    reserve(count);
    size_ = count;
  }
  // The same for elements that several threads will put.
  u64 extend(u64 count, WorkerPool &pool) {
    const u64 first = extend(count);
    touch_pages(data_.get() + first, count * sizeof(T), pool);
    return first;
  }
  // Different threads may do so for different elements.
  void put(u64 i, const T &value) { std::construct_at(data_.get() + i, value); }

private:
  // Not inlined, so that callers are small.
  [[gnu::noinline]] void grow() { reserve(std::max<u64>(16, size_ * 2)); }

  struct Free {
    u64 room = 0;
    void operator()(T *data) const { UninitializedAllocator<T>().deallocate(data, room); }
  };
  std::unique_ptr<T, Free> data_;
  u64 size_ = 0;
  u64 room_ = 0;
};

// The same as a vector, for tables that are read as such.
template <typename T> using RawVector = std::vector<T, UninitializedAllocator<T>>;

// Such a table with the same value everywhere, which all threads store.
template <typename T> RawVector<T> make_table(u64 count, const T &value, WorkerPool &pool) {
  constexpr u64 kTogether = (u64{1} << 16) / sizeof(T);
  const auto bytes = std::bit_cast<std::array<u8, sizeof(T)>>(value);
  const bool one_byte = std::ranges::count(bytes, bytes[0]) == sizeof(T); // zeros, or no ids
  RawVector<T> out(count);
  touch_pages(out.data(), count * sizeof(T), pool);
  pool.for_each(static_cast<u32>((count + kTogether - 1) / kTogether), [&](u32 i) {
    T *begin = out.data() + i * kTogether;
    const u64 elements = std::min(kTogether, count - i * kTogether);
    if (one_byte)
      std::memset(static_cast<void *>(begin), bytes[0], elements * sizeof(T));
    else
      std::fill_n(begin, elements, value);
  });
  return out;
}

} // namespace culink
