// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Blocks of a cluster that read each other's shared memory.
#include <cooperative_groups.h>

#include "../check.h"

__device__ int *of_neighbour(int *mine);
__global__ void __cluster_dims__(2, 1, 1) kernel(int *out) {
  __shared__ int values[32];
  const cooperative_groups::cluster_group cluster = cooperative_groups::this_cluster();
  values[threadIdx.x] = 100 * blockIdx.x + threadIdx.x;
  cluster.sync();
  out[blockIdx.x * 32 + threadIdx.x] = of_neighbour(values)[threadIdx.x];
  cluster.sync();
}
int main() {
  return run<int>(
      128, [](int *out) { kernel<<<4, 32>>>(out); },
      [](int i) { return 100 * (i / 32 ^ 1) + i % 32; });
}
