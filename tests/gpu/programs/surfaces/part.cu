// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

__device__ int read_surface(cudaSurfaceObject_t surface, int x, int y) {
  return surf2Dread<int>(surface, x * 4, y);
}
