// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

__device__ int next(int x) {
  return x + 1;
}
__device__ int square(int x) {
  return x * x;
}
__device__ int negative(int x) {
  return -x;
}
using Function = int (*)(int);
__device__ Function table[3] = {next, square, negative};
