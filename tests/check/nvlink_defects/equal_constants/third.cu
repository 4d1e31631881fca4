// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
__constant__ int third[4] = {5, 6, 7, 8};
__device__ int from_third(int i) {
  return third[i];
}
