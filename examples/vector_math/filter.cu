// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Device functions that live in another file than the kernels calling them: a constant table, a
// global counter, and a reduction whose shared memory belongs to the function, not to a kernel.
#include "vector_math.h"

__constant__ float filter_taps[kTaps] = {0.02f, 0.08f, 0.16f, 0.24f, 0.24f, 0.16f, 0.08f, 0.02f};
__device__ unsigned long long samples_seen = 0;

__device__ __noinline__ float filtered(const float *window) {
  float sum = 0.0f;
  for (int tap = 0; tap < kTaps; ++tap)
    sum += filter_taps[tap] * window[tap];
  return sum;
}

__device__ __noinline__ float block_sum(float value) {
  __shared__ float partial[256];
  partial[threadIdx.x] = value;
  __syncthreads();
  for (unsigned width = blockDim.x / 2; width != 0; width /= 2) {
    if (threadIdx.x < width)
      partial[threadIdx.x] += partial[threadIdx.x + width];
    __syncthreads();
  }
  const float total = partial[0];
  __syncthreads();
  return total;
}
