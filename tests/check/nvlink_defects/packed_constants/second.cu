// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
__constant__ int4 vector = {1, 2, 3, 4};
__constant__ __align__(64) char aligned[4] = {5};
__device__ __noinline__ int4 load(const int4 *from) {
  return *from;
}
