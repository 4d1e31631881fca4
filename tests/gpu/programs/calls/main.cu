// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls between files.
#include "../check.h"

__device__ int twice(int x);
__global__ void kernel(int *out) {
  out[threadIdx.x] = twice(threadIdx.x) + 1;
}
int main() {
  return run<int>(
      32, [](int *out) { kernel<<<1, 32>>>(out); }, [](int i) { return 2 * i + 1; });
}
