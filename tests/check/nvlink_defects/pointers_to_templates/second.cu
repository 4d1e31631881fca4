// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "add.h"
__constant__ Function second = add<1>;
extern __device__ int call_first(int x);
extern "C" __global__ void k(int *out) {
  out[threadIdx.x] = call_first(threadIdx.x) + second(threadIdx.x);
}
