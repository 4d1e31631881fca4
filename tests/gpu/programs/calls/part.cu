// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

__device__ int thrice(int x) {
  return 3 * x;
}
__device__ int twice(int x) {
  return thrice(x) - x;
}
