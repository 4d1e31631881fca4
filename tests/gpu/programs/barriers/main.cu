// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Barriers in called functions, numbered ones too.
#include "../check.h"

__device__ void publish(int *values, int value);
__device__ void wait_on_barrier_three();
__global__ void kernel(int *out) {
  __shared__ int values[128];
  publish(values, threadIdx.x);
  const int seen = values[127 - threadIdx.x];
  wait_on_barrier_three();
  values[threadIdx.x] = seen;
  __syncthreads();
  out[threadIdx.x] = values[threadIdx.x ^ 64];
}
int main() {
  return run<int>(
      128, [](int *out) { kernel<<<1, 128>>>(out); }, [](int i) { return 127 - (i ^ 64); });
}
