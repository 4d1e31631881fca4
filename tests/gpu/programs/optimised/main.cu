// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Link-time optimisation: a call through three files, and a variable that the host sets.
// Options: -dlto
#include "../check.h"

extern __device__ int offset;
__device__ int scaled(int x);
__global__ void kernel(int *out) {
  out[threadIdx.x] = scaled(threadIdx.x);
}
int main() {
  const auto launch = [](int *out) {
    const int value = 40;
    must(cudaMemcpyToSymbol(offset, &value, sizeof value), "cudaMemcpyToSymbol");
    kernel<<<1, 32>>>(out);
  };
  return run<int>(32, launch, [](int i) { return (i * 7 + 40) * 3; });
}
