// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A function's address read by the host and given to a kernel.
#include "../check.h"

using Function = int (*)(int);
extern __device__ Function chosen;
__global__ void kernel(int *out, Function function) {
  out[threadIdx.x] = function(threadIdx.x);
}
int main() {
  need_gpu();
  Function function = nullptr;
  must(cudaMemcpyFromSymbol(&function, chosen, sizeof(function)), "cudaMemcpyFromSymbol");
  return run<int>(
      8, [function](int *out) { kernel<<<1, 8>>>(out, function); }, [](int i) { return 7 * i; });
}
