// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
extern __shared__ int room[];
extern __device__ int other(int i);
extern "C" __global__ void k(int *out) {
  const int i = threadIdx.x;
  room[i] = i;
  __syncthreads();
  const int result = other(i);
  out[i] = result + room[31 - i];
}
