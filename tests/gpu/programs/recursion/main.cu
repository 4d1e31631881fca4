// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions of two files that call each other.
#include "../check.h"

__device__ bool is_even(int n);
__device__ int fibonacci(int n);
__global__ void kernel(int *out) {
  out[threadIdx.x] = fibonacci(threadIdx.x) * (is_even(threadIdx.x) ? 1 : -1);
}
int main() {
  const auto want = [](int n) {
    int a = 0, b = 1;
    for (int i = 0; i < n; ++i) {
      const int c = a + b;
      a = b;
      b = c;
    }
    return n % 2 ? -a : a;
  };
  return run<int>(
      16, [](int *out) { kernel<<<1, 16>>>(out); }, want);
}
__device__ bool is_odd(int n) {
  return n == 0 ? false : is_even(n - 1);
}
