// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

__device__ int *make(int value) {
  int *memory = static_cast<int *>(malloc(2 * sizeof(int)));
  if (memory)
    memory[0] = memory[1] = value;
  return memory;
}
__device__ int take(int *memory) {
  const int sum = memory[0] + memory[1];
  free(memory);
  return sum;
}
