// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

extern __shared__ int dynamic[];
__device__ int read_back(int place) {
  return dynamic[place];
}
