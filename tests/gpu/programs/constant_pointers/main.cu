// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constants that hold addresses of variables.
#include "../check.h"

extern __constant__ int *places[2];
__global__ void kernel(int *out) {
  out[threadIdx.x] = *places[threadIdx.x % 2] + threadIdx.x;
}
int main() {
  return run<int>(
      8, [](int *out) { kernel<<<1, 8>>>(out); }, [](int i) { return (i % 2 ? 22 : 11) + i; });
}
