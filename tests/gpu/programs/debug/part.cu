// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

__device__ int next(int n) {
  return n % 2 ? 3 * n + 1 : n / 2;
}
__device__ int collatz(int n) {
  int steps = 0;
  for (; n != 1; ++steps)
    n = next(n);
  return steps;
}
