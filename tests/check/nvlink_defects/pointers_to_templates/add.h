// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
template <int N> __device__ __noinline__ int add(int x) {
  return x + N;
}
using Function = int (*)(int);
