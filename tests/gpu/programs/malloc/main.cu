// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory allocated by one file's code and freed by another's.
#include "../check.h"

__device__ int *make(int value);
__device__ int take(int *memory);
__global__ void kernel(int *out) {
  int *memory = make(threadIdx.x);
  out[threadIdx.x] = memory ? take(memory) : -1;
}
int main() {
  return run<int>(
      16, [](int *out) { kernel<<<1, 16>>>(out); }, [](int i) { return i + i; });
}
