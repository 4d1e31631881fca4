// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Atomic operations on one counter from many blocks.
#include "../check.h"

extern __device__ unsigned long long counter;
__device__ void count(int amount);
__global__ void kernel() {
  count(threadIdx.x);
  atomicAdd(&counter, 1ull);
}
__global__ void read(unsigned long long *out) {
  *out = counter;
}
int main() {
  const auto launch = [](unsigned long long *out) {
    kernel<<<16, 64>>>();
    read<<<1, 1>>>(out);
  };
  return run<unsigned long long>(1, launch, [](int) { return 16 * (64 * 63 / 2 + 64); });
}
