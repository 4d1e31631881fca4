// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

__device__ int sum(int value) {
  __shared__ int values[32];
  values[threadIdx.x] = value;
  __syncthreads();
  int total = 0;
  for (int i = 0; i < 32; ++i)
    total += values[i];
  return total;
}
