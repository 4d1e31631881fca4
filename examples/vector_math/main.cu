// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two kernels that call into filter.cu. Run on a GPU the program checks its own results.
#include "vector_math.h"

#include <cstdio>

constexpr int kThreads = 128;

__global__ void smooth(const float *in, float *out, int count) {
  __shared__ float window[kThreads + kTaps];
  const int at = blockIdx.x * blockDim.x + threadIdx.x;
  for (int i = threadIdx.x; i < kThreads + kTaps; i += blockDim.x) {
    const int from = blockIdx.x * blockDim.x + i;
    window[i] = from < count ? in[from] : 0.0f;
  }
  __syncthreads();
  if (at < count) {
    out[at] = filtered(&window[threadIdx.x]);
    atomicAdd(&samples_seen, 1ull);
  }
}

__global__ void total(const float *in, float *out, int count) {
  extern __shared__ float staged[];
  const int at = blockIdx.x * blockDim.x + threadIdx.x;
  staged[threadIdx.x] = at < count ? in[at] : 0.0f;
  const float sum = block_sum(staged[threadIdx.x]);
  if (threadIdx.x == 0)
    atomicAdd(out, sum);
}

int main() {
  constexpr int count = 1024;
  float *in, *out, *sum;
  cudaMallocManaged(&in, count * sizeof(float));
  cudaMallocManaged(&out, count * sizeof(float));
  cudaMallocManaged(&sum, sizeof(float));
  for (int i = 0; i < count; ++i)
    in[i] = 1.0f;
  *sum = 0.0f;
  smooth<<<count / kThreads, kThreads>>>(in, out, count);
  total<<<count / kThreads, kThreads, kThreads * sizeof(float)>>>(in, sum, count);
  const cudaError_t status = cudaDeviceSynchronize();
  const bool right = status == cudaSuccess && *sum == float(count) && out[0] > 0.99f && out[0] < 1.01f;
  std::printf("vector_math: %s\n", right ? "PASS" : "FAIL");
  return right ? 0 : 1;
}
