// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
__constant__ int second = 2;
extern __device__ int from_first();
extern "C" __global__ void k(int *out) {
  out[threadIdx.x] = from_first() * 10 + second;
}
