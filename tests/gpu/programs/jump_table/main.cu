// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A switch that becomes a table of branches.
#include "../check.h"

__device__ int decide(int kind, int x);
__global__ void kernel(int *out) {
  out[threadIdx.x] = decide(threadIdx.x, threadIdx.x + 3);
}
int main() {
  const auto want = [](int kind) {
    const int x = kind + 3;
    const int values[] = {x + 1, x * 3, x - 9, x / 2, x % 5, x << 3, x ^ 77, ~x, x * x, -x};
    return kind < 10 ? values[kind] : 0;
  };
  return run<int>(
      12, [](int *out) { kernel<<<1, 12>>>(out); }, want);
}
