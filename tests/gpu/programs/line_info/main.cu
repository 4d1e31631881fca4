// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Line numbers only.
// Options: -lineinfo
#include "../check.h"

__device__ int mix(int n);
__global__ void kernel(int *out) {
  out[threadIdx.x] = mix(threadIdx.x);
}
int main() {
  return run<int>(
      8, [](int *out) { kernel<<<1, 8>>>(out); }, [](int i) { return (i ^ 5) * 3; });
}
