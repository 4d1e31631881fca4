// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Static variables and functions of the same name in two files.
#include "../check.h"

static __device__ int counter = 5;
static __device__ __noinline__ int value(int x) {
  return x + counter;
}
__device__ int other_value(int x);
__global__ void kernel(int *out) {
  out[threadIdx.x] = 1000 * value(threadIdx.x) + other_value(1);
}
int main() {
  return run<int>(
      8, [](int *out) { kernel<<<1, 8>>>(out); }, [](int i) { return 1000 * (i + 5) + 71; });
}
