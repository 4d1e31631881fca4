// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <cassert>
__device__ void require_small(int value) {
  assert(value < 50);
}
