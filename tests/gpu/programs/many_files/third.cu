// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

__device__ int fourth(int x);
__device__ int third(int x) {
  return fourth(x * 3 + 4);
}
