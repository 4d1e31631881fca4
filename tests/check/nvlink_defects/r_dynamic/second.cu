// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
extern __shared__ int room[];
__device__ int read(int i) {
  return room[i];
}
