// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A grid that waits for all its blocks, and sums over tiles.
#include <cooperative_groups.h>

#include "../check.h"

__device__ int tile_sum(int value);
__device__ int exchanged[64];
__global__ void kernel(int *out) {
  const cooperative_groups::grid_group grid = cooperative_groups::this_grid();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  exchanged[i] = tile_sum(i);
  grid.sync();
  out[i] = exchanged[63 - i];
}
int main() {
  const auto launch = [](int *out) {
    void *arguments[] = {&out};
    must(cudaLaunchCooperativeKernel(kernel, 2, 32, arguments, 0, nullptr), "launch");
  };
  return run<int>(64, launch, [](int i) {
    const int first = (63 - i) / 8 * 8;
    return 8 * first + 28;
  });
}
