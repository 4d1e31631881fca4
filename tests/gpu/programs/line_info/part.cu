// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

__device__ int mix(int n) {
  return (n ^ 5) * 3;
}
