// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

__global__ void child(int *out) {
  out[threadIdx.x] = 9 * threadIdx.x + 2;
}
__device__ void start_child(int *out) {
  child<<<1, 16>>>(out);
}
