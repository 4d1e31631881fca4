// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

__device__ int first = 11;
__device__ int second = 22;
__constant__ int *places[2] = {&first, &second};
