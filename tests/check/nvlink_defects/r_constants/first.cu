// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
__constant__ int first = 1;
__device__ int from_first() {
  return first;
}
