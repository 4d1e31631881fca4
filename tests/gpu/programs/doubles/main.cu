// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Double precision division, roots and sines.
#include "../check.h"

__device__ double compute(double x);
__global__ void kernel(double *out) {
  out[threadIdx.x] = rint(1e6 * compute(threadIdx.x + 1));
}
int main() {
  return run<double>(
      16, [](double *out) { kernel<<<1, 16>>>(out); },
      [](int i) {
        const double x = i + 1;
        return rint(1e6 * (sqrt(x) / 7 + sin(x) + pow(x, 1.5)));
      });
}
