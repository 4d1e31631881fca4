// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Indirect calls: through a vtable, through a table in another file, and through an argument, with
// recursion on the way, so that the stack a kernel needs is not known to the compiler.
#include "shapes.h"

#include <cstdio>

__device__ __noinline__ float apply(Transform transform, float value, int depth) {
  return depth == 0 ? value : apply(transform, transform(value), depth - 1);
}

__global__ void measure(float *out, int which) {
  __align__(8) char storage[32];
  const Shape *shape = make_shape(threadIdx.x & 1, storage, 2.0f);
  out[threadIdx.x] = apply(transforms[which], shape->area(), 2) + shape->corners();
}

int main() {
  float *out;
  cudaMallocManaged(&out, 2 * sizeof(float));
  measure<<<1, 2>>>(out, 0);
  const cudaError_t status = cudaDeviceSynchronize();
  const bool right = status == cudaSuccess && out[0] == 20.0f && out[1] == 48.0f;
  std::printf("function_pointers: %s\n", right ? "PASS" : "FAIL");
  return right ? 0 : 1;
}
