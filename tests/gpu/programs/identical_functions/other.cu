// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
static __device__ __noinline__ int hidden(int x) {
  return 2 * x + 3;
}
__device__ int from_other_file(int x) {
  return hidden(x) ^ 5;
}
