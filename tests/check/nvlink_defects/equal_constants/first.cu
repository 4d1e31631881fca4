// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
__constant__ int first[4] = {1, 2, 3, 4};
extern __device__ int from_second(int i);
extern "C" __global__ void k(int *out) {
  const int i = threadIdx.x % 4;
  out[threadIdx.x] = first[i] * 100 + from_second(i);
}
