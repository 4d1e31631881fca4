// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
__device__ int tile_sum(int value) {
  const auto tile = cooperative_groups::tiled_partition<8>(cooperative_groups::this_thread_block());
  return cooperative_groups::reduce(tile, value, cooperative_groups::plus<int>());
}
