// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shared memory of a kernel beside that of a function it calls.
#include "../check.h"

__device__ int sum(int value);
__global__ void kernel(int *out) {
  __shared__ int mine[32];
  mine[threadIdx.x] = threadIdx.x;
  __syncthreads();
  const int total = sum(mine[31 - threadIdx.x]);
  out[threadIdx.x] = total + mine[threadIdx.x];
}
int main() {
  return run<int>(
      32, [](int *out) { kernel<<<1, 32>>>(out); }, [](int i) { return 496 + i; });
}
