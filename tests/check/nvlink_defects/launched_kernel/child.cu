// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
extern __device__ int helper(int i);
extern "C" __global__ void child(int *out) {
  out[threadIdx.x] = helper(threadIdx.x);
}
