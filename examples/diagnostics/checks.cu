// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// printf, assert and device malloc: calls that the driver, not the linker, completes.
#include <cassert>
#include <cstdio>

__device__ __noinline__ int *checked_copy(const int *from, int count) {
  assert(count > 0);
  int *copy = static_cast<int *>(malloc(count * sizeof(int)));
  if (copy == nullptr) {
    printf("thread %d: no room for %d numbers\n", threadIdx.x, count);
    return nullptr;
  }
  for (int i = 0; i < count; ++i)
    copy[i] = from[i];
  return copy;
}
