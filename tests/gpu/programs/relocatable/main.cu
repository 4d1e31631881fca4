// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Linked in two steps.
// Link: relocatable
#include "../check.h"

__device__ int outer(int x);
extern __device__ int weights[2];
__global__ void kernel(int *out) {
  out[threadIdx.x] = outer(threadIdx.x) + weights[threadIdx.x % 2];
}
int main() {
  return run<int>(
      8, [](int *out) { kernel<<<1, 8>>>(out); },
      [](int i) { return 2 * (i + 1) + (i % 2 ? 900 : 500); });
}
