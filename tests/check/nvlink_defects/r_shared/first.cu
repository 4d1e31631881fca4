// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
extern __device__ int exchange(int i);
extern "C" __global__ void k(int *out) {
  __shared__ int mine[32];
  const int i = threadIdx.x;
  mine[i] = i;
  __syncthreads();
  const int other = exchange(i);
  out[i] = mine[31 - i] + other;
}
