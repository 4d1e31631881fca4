// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

__managed__ int total = 100;
__device__ void add(int value) {
  atomicAdd(&total, value);
}
