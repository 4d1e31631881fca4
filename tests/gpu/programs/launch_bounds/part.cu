// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

__device__ int spread(int n) {
  return n * 17 % 256;
}
