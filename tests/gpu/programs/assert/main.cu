// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An assertion that holds, then one that does not.
#include "../check.h"

__device__ void require_small(int value);
__global__ void kernel(int *out, int add) {
  require_small(threadIdx.x + add);
  out[threadIdx.x] = threadIdx.x;
}
int main() {
  const int status = run<int>(
      8, [](int *out) { kernel<<<1, 8>>>(out, 0); }, [](int i) { return i; });
  int *none = nullptr;
  kernel<<<1, 1>>>(none, 100);
  const cudaError_t error = cudaDeviceSynchronize();
  std::printf("%s\n", cudaGetErrorName(error));
  return error == cudaErrorAssert ? status : 1;
}
