// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

__device__ void publish(int *values, int value) {
  values[threadIdx.x] = value;
  __syncthreads();
}
__device__ void wait_on_barrier_three() {
  asm volatile("bar.sync 3;" ::: "memory");
}
