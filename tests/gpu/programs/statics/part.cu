// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

static __device__ int counter = 70;
static __device__ __noinline__ int value(int x) {
  return x + counter;
}
__device__ int other_value(int x) {
  return value(x);
}
