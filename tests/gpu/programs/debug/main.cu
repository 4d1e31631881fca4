// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Debug information and unoptimised code.
// Options: -G
#include "../check.h"

__device__ int collatz(int n);
__global__ void kernel(int *out) {
  out[threadIdx.x] = collatz(threadIdx.x + 1);
}
int main() {
  const auto want = [](int i) {
    int n = i + 1, steps = 0;
    for (; n != 1; ++steps)
      n = n % 2 ? 3 * n + 1 : n / 2;
    return steps;
  };
  return run<int>(
      27, [](int *out) { kernel<<<1, 27>>>(out); }, want);
}
