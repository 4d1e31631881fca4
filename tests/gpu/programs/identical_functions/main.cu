// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions that are the same, alone, in chains and behind pointers.
#include "../check.h"

__device__ __noinline__ int twice_plus_three(int x) {
  return 2 * x + 3;
}
__device__ __noinline__ int also_twice_plus_three(int x) {
  return 2 * x + 3;
}
__device__ __noinline__ int outer(int x) {
  return twice_plus_three(x) ^ 5;
}
__device__ __noinline__ int also_outer(int x) {
  return also_twice_plus_three(x) ^ 5;
}
// The same code, but not the same callee or variable.
__device__ int ours = 10, theirs = 20;
__device__ __noinline__ int add_ours(int x) {
  return x + ours;
}
__device__ __noinline__ int add_theirs(int x) {
  return x + theirs;
}
// Their addresses are compared.
using Function = int (*)(int);
__device__ __noinline__ int first(int x) {
  return x * 11;
}
__device__ __noinline__ int second(int x) {
  return x * 11;
}
__device__ Function table[] = {first, second};

__device__ int from_other_file(int x);

__global__ void kernel(int *out) {
  const int i = threadIdx.x;
  out[8 * i] = outer(i);
  out[8 * i + 1] = also_outer(i);
  out[8 * i + 2] = add_ours(i);
  out[8 * i + 3] = add_theirs(i);
  out[8 * i + 4] = table[i & 1](i);
  out[8 * i + 5] = table[0] == table[1];
  out[8 * i + 6] = from_other_file(i);
  ours = 10;
}
int main() {
  return run<int>(
      64, [](int *out) { kernel<<<1, 8>>>(out); },
      [](int i) {
        const int x = i / 8, inner = 2 * x + 3;
        const int want[] = {inner ^ 5, inner ^ 5, x + 10, x + 20, x * 11, 0, inner ^ 5, 0};
        return want[i % 8];
      });
}
