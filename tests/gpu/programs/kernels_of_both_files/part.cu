// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

extern __device__ int stage;
__global__ void other(int *out) {
  out[threadIdx.x] = 100 + 2 * stage + threadIdx.x;
}
void launch_other(int *out) {
  other<<<1, 8>>>(out);
}
