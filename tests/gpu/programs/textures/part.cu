// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

__device__ int fetch(cudaTextureObject_t texture, int place) {
  return tex1Dfetch<int>(texture, place);
}
