// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A surface written in one file and read in another.
#include "../check.h"

__device__ int read_surface(cudaSurfaceObject_t surface, int x, int y);
__global__ void write(cudaSurfaceObject_t surface) {
  surf2Dwrite<int>(10 * threadIdx.y + threadIdx.x, surface, threadIdx.x * 4, threadIdx.y);
}
__global__ void read(int *out, cudaSurfaceObject_t surface) {
  out[threadIdx.y * 8 + threadIdx.x] = read_surface(surface, 7 - threadIdx.x, threadIdx.y);
}
int main() {
  need_gpu();
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<int>();
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  must(cudaMallocArray(&resource.res.array.array, &format, 8, 4, cudaArraySurfaceLoadStore),
       "cudaMallocArray");
  cudaSurfaceObject_t surface = 0;
  must(cudaCreateSurfaceObject(&surface, &resource), "surface");
  const auto launch = [surface](int *out) {
    write<<<1, dim3(8, 4)>>>(surface);
    read<<<1, dim3(8, 4)>>>(out, surface);
  };
  return run<int>(32, launch, [](int i) { return 10 * (i / 8) + 7 - i % 8; });
}
