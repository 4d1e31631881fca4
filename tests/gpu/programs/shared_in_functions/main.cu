// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two kernels that share some functions with shared memory.
#include "../check.h"

__device__ int left(int x);
__device__ int right(int x);
__global__ void both(int *out) {
  out[threadIdx.x] = left(threadIdx.x) + right(threadIdx.x);
}
__global__ void one(int *out) {
  out[32 + threadIdx.x] = right(threadIdx.x);
}
int main() {
  const auto launch = [](int *out) {
    both<<<1, 32>>>(out);
    one<<<1, 32>>>(out);
  };
  return run<int>(64, launch, [](int i) { return i < 32 ? (31 - i) + (i ^ 1) : ((i - 32) ^ 1); });
}
