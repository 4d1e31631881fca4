// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
__device__ volatile int pool[64];
extern "C" __device__ void *malloc(size_t size) noexcept {
  int values[40];
  for (int i = 0; i < 40; ++i)
    values[i] = pool[i];
  for (int i = 0; i < 40; ++i)
    pool[63 - i] = values[i] + size;
  return const_cast<int *>(pool);
}
