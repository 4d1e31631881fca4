// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels in both files, launched one after the other.
#include "../check.h"

__device__ int stage = 1;
void launch_other(int *out);
__global__ void kernel(int *out) {
  out[threadIdx.x] = 10 * stage + threadIdx.x;
}
int main() {
  const auto launch = [](int *out) {
    kernel<<<1, 8>>>(out);
    launch_other(out + 8);
  };
  return run<int>(16, launch, [](int i) { return i < 8 ? 10 + i : 102 + i - 8; });
}
