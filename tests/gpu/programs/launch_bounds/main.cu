// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Launch bounds on a kernel that calls another file.
#include "../check.h"

__device__ int spread(int n);
__global__ void __launch_bounds__(64, 4) kernel(int *out) {
  out[blockIdx.x * 64 + threadIdx.x] = spread(blockIdx.x * 64 + threadIdx.x);
}
int main() {
  return run<int>(
      256, [](int *out) { kernel<<<4, 64>>>(out); }, [](int i) { return i * 17 % 256; });
}
