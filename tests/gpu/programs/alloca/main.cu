// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stack memory whose size is known at run time.
#include "../check.h"

__device__ int sum_of_first(int count);
__global__ void kernel(int *out) {
  out[threadIdx.x] = sum_of_first(threadIdx.x + 1);
}
int main() {
  return run<int>(
      16, [](int *out) { kernel<<<1, 16>>>(out); }, [](int i) { return i * (i + 1) / 2; });
}
