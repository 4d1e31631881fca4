// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

__device__ int sum_of_first(int count) {
  int *values = static_cast<int *>(alloca(count * sizeof(int)));
  for (int i = 0; i < count; ++i)
    values[i] = i;
  int sum = 0;
  for (int i = count - 1; i >= 0; --i)
    sum += values[i];
  return sum;
}
