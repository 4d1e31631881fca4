// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// printf with texts of two files.
#include "../check.h"

__device__ void say(int number);
__global__ void kernel(int *out) {
  printf("kernel %s %d\n", "main", 1);
  say(2);
  *out = 3;
}
int main() {
  return run<int>(
      1, [](int *out) { kernel<<<1, 1>>>(out); }, [](int) { return 3; });
}
