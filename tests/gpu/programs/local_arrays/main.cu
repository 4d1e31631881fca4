// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arrays on the stack, filled in another file.
#include "../check.h"

__device__ void fill(int *values, int count, int start);
__global__ void kernel(int *out) {
  int values[100];
  fill(values, 100, threadIdx.x);
  out[threadIdx.x] = values[threadIdx.x * 3 % 100] + values[99];
}
int main() {
  return run<int>(
      32, [](int *out) { kernel<<<1, 32>>>(out); },
      [](int i) { return (i + i * 3 % 100) + (i + 99); });
}
