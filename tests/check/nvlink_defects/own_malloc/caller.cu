// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
extern "C" __global__ void k(int *out) {
  volatile int *cell = out + threadIdx.x;
  *cell = 1;
  int values[48];
  for (int i = 0; i < 48; ++i)
    values[i] = *cell + i;
  void *memory = malloc(16);
  int sum = memory == nullptr;
  for (int i = 0; i < 48; ++i)
    sum = sum * 3 + values[i];
  *cell = sum;
}
