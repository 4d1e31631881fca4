// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
template <class T> __device__ __noinline__ T twist(T x) {
  for (int i = 0; i < STEP; ++i)
    x = x * 5 + STEP;
  return x;
}
__device__ __noinline__ inline int lookup(int x) {
  const double values[4] = TABLE;
  return (int)(values[x & 3] * x * 3.14159265358979 * STEP);
}
__device__ __noinline__ inline int share(int x) {
  __shared__ int cells[64];
  cells[threadIdx.x % STEP] = x;
  __syncthreads();
  return cells[(threadIdx.x + 1) % STEP] * STEP;
}
