// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

__device__ double compute(double x) {
  return sqrt(x) / 7 + sin(x) + pow(x, 1.5);
}
