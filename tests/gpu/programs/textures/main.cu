// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A texture read in another file.
#include "../check.h"

__device__ int fetch(cudaTextureObject_t texture, int place);
__global__ void kernel(int *out, cudaTextureObject_t texture) {
  out[threadIdx.x] = fetch(texture, 31 - threadIdx.x);
}
int main() {
  need_gpu();
  int values[32];
  for (int i = 0; i < 32; ++i)
    values[i] = i * i;
  int *memory = nullptr;
  must(cudaMalloc(&memory, sizeof(values)), "cudaMalloc");
  must(cudaMemcpy(memory, values, sizeof(values), cudaMemcpyHostToDevice), "cudaMemcpy");
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear.devPtr = memory;
  resource.res.linear.desc = cudaCreateChannelDesc<int>();
  resource.res.linear.sizeInBytes = sizeof(values);
  cudaTextureDesc description = {};
  cudaTextureObject_t texture = 0;
  must(cudaCreateTextureObject(&texture, &resource, &description, nullptr), "texture");
  return run<int>(
      32, [texture](int *out) { kernel<<<1, 32>>>(out, texture); },
      [](int i) { return (31 - i) * (31 - i); });
}
