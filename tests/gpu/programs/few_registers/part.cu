// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

__device__ float polynomial(float x) {
  return 1 + x * (1 + x * (1 + x));
}
