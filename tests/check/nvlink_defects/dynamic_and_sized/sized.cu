// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
__shared__ int room[4];
__shared__ int more[32];
__device__ int other(int i) {
  room[i % 4] = 0;
  more[i] = 100;
  __syncthreads();
  return more[31 - i];
}
