// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A kernel with launch bounds and a local array, calling the checked functions of checks.cu.
#include <cstdio>

__device__ int *checked_copy(const int *from, int count);

__global__ void __launch_bounds__(64, 2) reverse(int *out) {
  int numbers[10];
  for (int i = 0; i < 10; ++i)
    numbers[i] = i * int(threadIdx.x + 1);
  int *copy = checked_copy(numbers, 10);
  out[threadIdx.x] = copy == nullptr ? -1 : copy[9 - threadIdx.x % 10];
  free(copy);
}

int main() {
  int *out;
  cudaMallocManaged(&out, 64 * sizeof(int));
  reverse<<<1, 64>>>(out);
  const cudaError_t status = cudaDeviceSynchronize();
  const bool right = status == cudaSuccess && out[0] == 9 && out[1] == 16;
  std::printf("diagnostics: %s\n", right ? "PASS" : "FAIL");
  return right ? 0 : 1;
}
