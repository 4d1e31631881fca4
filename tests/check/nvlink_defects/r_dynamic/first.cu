// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
extern __device__ int read(int i);
extern __shared__ int room[];
extern "C" __global__ void k(int *out) {
  __shared__ int mine[32];
  const int i = threadIdx.x;
  mine[i] = 100;
  room[i] = i;
  __syncthreads();
  out[i] = mine[31 - i] + read(31 - i);
}
