// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <initializer_list>
#include <memory>
#include <span>
#include <vector>

#include "base/types.h"

namespace culink {

// A list of which there are very many, nearly all with few elements: a std::vector would take an
// allocation for each. Bytes of zero make an empty one.
template <typename T, u32 kFew> class FewList {
public:
  FewList() = default;
  FewList(std::initializer_list<T> list) {
    for (const T &element : list)
      push_back(element);
  }

  // A new element at the end, whose fields the caller assigns one by one: see store_fields.
  [[nodiscard]] T &add() { return count_ < kFew ? few_[count_++] : add_to_many(); }
  void push_back(const T &element) { add() = element; }

  [[nodiscard]] u32 size() const { return count_; }
  [[nodiscard]] bool empty() const { return count_ == 0; }
  [[nodiscard]] const T *begin() const { return count_ <= kFew ? few_.data() : many_->data(); }
  [[nodiscard]] const T *end() const { return begin() + count_; }

private:
  [[gnu::noinline]] T &add_to_many() {
    if (count_ == kFew)
      many_ = std::make_unique<std::vector<T>>(few_.begin(), few_.end());
    ++count_;
    return many_->emplace_back();
  }

  std::array<T, kFew> few_{};
  u32 count_ = 0;
  std::unique_ptr<std::vector<T>> many_; // all, if they are not few
};

} // namespace culink
