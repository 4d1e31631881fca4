// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

__device__ int offset = 1;
__device__ int raised(int x);
__device__ int scaled(int x) {
  return raised(x * 7) * 3;
}
