// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

__device__ bool is_odd(int n);
__device__ bool is_even(int n) {
  return n == 0 ? true : is_odd(n - 1);
}
__device__ int fibonacci(int n) {
  return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}
