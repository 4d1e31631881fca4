// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstdio>

__device__ void say(int number) {
  printf("function %s %d %.2f\n", "part", number, 0.5 * number);
}
