// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dynamic shared memory that two files use.
#include "../check.h"

extern __shared__ int dynamic[];
__device__ int read_back(int place);
__global__ void kernel(int *out) {
  __shared__ int fixed[5];
  if (threadIdx.x < 5)
    fixed[threadIdx.x] = 1000;
  dynamic[threadIdx.x] = 3 * threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = read_back(63 - threadIdx.x) + fixed[threadIdx.x % 5];
}
int main() {
  return run<int>(
      64, [](int *out) { kernel<<<1, 64, 64 * sizeof(int)>>>(out); },
      [](int i) { return 3 * (63 - i) + 1000; });
}
