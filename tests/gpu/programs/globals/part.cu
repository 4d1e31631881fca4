// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

__device__ int numbers[8] = {1, 2, 3, 4, 5, 6, 7, 8};
__device__ int *middle = &numbers[4];
__device__ int zeros[4];
