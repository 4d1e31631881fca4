// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
extern __shared__ int room[];
extern __device__ int other(int i);
extern "C" __global__ void k(int *out) {
  room[threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = other(31 - threadIdx.x);
}
