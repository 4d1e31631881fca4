// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Link-time optimisation of kernels that launch kernels, which needs the device runtime library.
// Options: -dlto
#include "../check.h"

__device__ void start_child(int *out);
__global__ void kernel(int *out) {
  start_child(out);
}
int main() {
  return run<int>(
      16, [](int *out) { kernel<<<1, 1>>>(out); }, [](int i) { return 9 * i + 2; });
}
