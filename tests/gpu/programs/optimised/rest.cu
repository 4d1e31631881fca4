// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

extern __device__ int offset;
__device__ int raised(int x) {
  return x + offset;
}
