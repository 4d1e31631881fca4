// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constant memory of another file, one part set by the host.
#include "../check.h"

extern __constant__ int scale;
extern __constant__ int offsets[4];
__global__ void kernel(int *out) {
  out[threadIdx.x] = scale * static_cast<int>(threadIdx.x) + offsets[threadIdx.x % 4];
}
int main() {
  need_gpu();
  const int three = 3;
  must(cudaMemcpyToSymbol(scale, &three, sizeof(three)), "cudaMemcpyToSymbol");
  return run<int>(
      16, [](int *out) { kernel<<<1, 16>>>(out); }, [](int i) { return 3 * i + 100 * (i % 4); });
}
