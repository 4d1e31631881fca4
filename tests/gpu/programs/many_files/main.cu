// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A chain through four files.
#include "../check.h"

__device__ int second(int x);
__global__ void kernel(int *out) {
  out[threadIdx.x] = second(threadIdx.x);
}
int main() {
  return run<int>(
      8, [](int *out) { kernel<<<1, 8>>>(out); }, [](int i) { return ((i + 2) * 3 + 4) * 4; });
}
