// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

__device__ int seven_times(int x) {
  return 7 * x;
}
using Function = int (*)(int);
__device__ Function chosen = seven_times;
