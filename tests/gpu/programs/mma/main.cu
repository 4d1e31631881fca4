// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tensor cores in a function of another file.
#include "../check.h"

__device__ void multiply(float *product);
__global__ void kernel(float *out) {
  multiply(out);
}
int main() {
  return run<float>(
      256, [](float *out) { kernel<<<1, 32>>>(out); }, [](int) { return 16 * 6; });
}
