// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

__device__ unsigned long long counter;
__device__ void count(int amount) {
  atomicAdd(&counter, static_cast<unsigned long long>(amount));
}
