// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
extern __constant__ int value;
extern "C" __global__ void k(int *out) { out[threadIdx.x] = value; }
