// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

__device__ int left(int x) {
  __shared__ int values[32];
  values[31 - threadIdx.x] = x;
  __syncthreads();
  return values[threadIdx.x];
}
__device__ int right(int x) {
  __shared__ long long values[32];
  values[threadIdx.x ^ 1] = x;
  __syncthreads();
  return static_cast<int>(values[threadIdx.x]);
}
