// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Managed variables that host and both files use.
#include "../check.h"

__managed__ int input[4] = {1, 2, 3, 4};
extern __managed__ int total;
__device__ void add(int value);
__global__ void kernel(int *out) {
  add(input[threadIdx.x]);
  __syncthreads();
  out[threadIdx.x] = total;
}
int main() {
  need_gpu();
  input[3] = 40;
  const int status = run<int>(
      4, [](int *out) { kernel<<<1, 4>>>(out); }, [](int) { return 146; });
  std::printf("%d\n", total);
  return total == 146 ? status : 1;
}
