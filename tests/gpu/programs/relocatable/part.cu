// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

__device__ int inner(int x);
__device__ int weights[2] = {500, 900};
__device__ int outer(int x) {
  return 2 * inner(x);
}
