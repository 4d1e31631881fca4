// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The edge between C++ and C: no exception passes it, and no wrong pointer.
#pragma once

#include <algorithm>
#include <cstring>
#include <exception>
#include <new>
#include <stdexcept>

#include "driver/c/handles.h"

namespace culink::capi {

template <typename Handle> bool is_valid(const Handle *handle) {
  return handle && handle->kind == Handle::kKind;
}

// Calls work(), which returns a status; what it throws becomes one.
template <typename Work> culink_status guarded(const Work &work) noexcept {
  try {
    return work();
  } catch (const std::bad_alloc &) {
    return CULINK_OUT_OF_MEMORY;
  } catch (const std::length_error &) { // a container that would be larger than the address space
    return CULINK_OUT_OF_MEMORY;
  } catch (...) {
    return CULINK_INTERNAL_ERROR;
  }
}

// The same for functions that return a value: `none` if it throws.
template <typename Value, typename Work>
Value guarded_value(Value none, const Work &work) noexcept {
  try {
    return work();
  } catch (...) {
    return none;
  }
}

// One thread at a time is in a function that changes or runs a link.
class Claim {
public:
  explicit Claim(culink_link &link) : link_(link), got_(!link.busy.exchange(true)) {}
  ~Claim() {
    if (got_)
      link_.busy = false;
  }
  Claim(const Claim &) = delete;
  Claim &operator=(const Claim &) = delete;

  [[nodiscard]] bool got() const { return got_; }

private:
  culink_link &link_;
  bool got_;
};

// Changes a link: change() is called if the link is valid and nobody else is in it.
template <typename Change> culink_status change_link(culink_link *link, const Change &change) {
  if (!is_valid(link))
    return CULINK_INVALID_ARGUMENT;
  const Claim claim(*link);
  return claim.got() ? guarded(change) : CULINK_BUSY;
}

// Fills the caller's structure, which may be of an older or a newer header than ours. No structure
// is so large that a larger size is anything but a member that was not set.
template <typename Row> culink_status give(const Row &row, Row *out) {
  constexpr size_t kMost = 4096;
  const size_t size = out->struct_size;
  if (size < sizeof row.struct_size || size > kMost)
    return CULINK_INVALID_ARGUMENT;
  auto *const to = reinterpret_cast<char *>(out);
  std::memset(to, 0, size);
  std::memcpy(to, &row, std::min(size, sizeof row));
  out->struct_size = size;
  return CULINK_OK;
}

} // namespace culink::capi
