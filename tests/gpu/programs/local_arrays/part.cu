// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

__device__ void fill(int *values, int count, int start) {
  for (int i = 0; i < count; ++i)
    values[i] = start + i;
}
