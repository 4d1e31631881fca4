// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

__device__ int third(int x);
__device__ int second(int x) {
  return third(x + 2);
}
