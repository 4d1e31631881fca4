// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
__constant__ short two = 2;
__constant__ char filler[65480] = {1};
__constant__ long long eight = 8;
extern __constant__ int4 vector;
extern __device__ int4 load(const int4 *from);
extern "C" __global__ void k(int *out) {
  const int4 loaded = load(&vector);
  out[threadIdx.x] = loaded.x + loaded.w + filler[threadIdx.x] + eight + two;
}
