// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

template <int N> __device__ __noinline__ int power(int x) {
  int result = 1;
  for (int i = 0; i < N; ++i)
    result *= x;
  return result;
}
__device__ int cube_elsewhere(int x) {
  return power<3>(x);
}
