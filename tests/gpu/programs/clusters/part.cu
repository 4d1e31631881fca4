// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include <cooperative_groups.h>
__device__ int *of_neighbour(int *mine) {
  const cooperative_groups::cluster_group cluster = cooperative_groups::this_cluster();
  return cluster.map_shared_rank(mine, cluster.block_rank() ^ 1);
}
