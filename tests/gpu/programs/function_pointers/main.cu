// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A table of function pointers in another file.
#include "../check.h"

using Function = int (*)(int);
extern __device__ Function table[3];
__global__ void kernel(int *out) {
  out[threadIdx.x] = table[threadIdx.x % 3](threadIdx.x);
}
int main() {
  return run<int>(
      30, [](int *out) { kernel<<<1, 30>>>(out); },
      [](int i) { return i % 3 == 0   ? i + 1
                         : i % 3 == 1 ? i * i
                                      : -i; });
}
