// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A limit on registers.
// Options: -maxrregcount=32
#include "../check.h"

__device__ float polynomial(float x);
__global__ void kernel(float *out) {
  out[threadIdx.x] = polynomial(threadIdx.x);
}
int main() {
  return run<float>(
      8, [](float *out) { kernel<<<1, 8>>>(out); },
      [](int x) { return 1 + x + x * x + x * x * x; });
}
