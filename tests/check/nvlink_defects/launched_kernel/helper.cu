// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
__device__ int helper(int i) {
  return i + 7;
}
