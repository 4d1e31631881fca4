// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One template instance in two files.
#include "../check.h"

template <int N> __device__ __noinline__ int power(int x) {
  int result = 1;
  for (int i = 0; i < N; ++i)
    result *= x;
  return result;
}
__device__ int cube_elsewhere(int x);
__global__ void kernel(int *out) {
  out[threadIdx.x] = power<3>(threadIdx.x) + cube_elsewhere(threadIdx.x) + power<2>(threadIdx.x);
}
int main() {
  return run<int>(
      16, [](int *out) { kernel<<<1, 16>>>(out); }, [](int i) { return 2 * i * i * i + i * i; });
}
