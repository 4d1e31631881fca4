// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Global variables with initial values, and pointers to them.
#include "../check.h"

extern __device__ int numbers[8];
extern __device__ int *middle;
extern __device__ int zeros[4];
__global__ void kernel(int *out) {
  out[threadIdx.x] = numbers[threadIdx.x] + 10 * middle[threadIdx.x % 4] + zeros[threadIdx.x % 4];
}
int main() {
  return run<int>(
      8, [](int *out) { kernel<<<1, 8>>>(out); }, [](int i) { return i + 1 + 10 * (i % 4 + 5); });
}
