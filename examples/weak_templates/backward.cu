// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Second user of the same instances, and of one that the first file does not have.
#include "stack.h"

#include <cstdio>

__device__ __noinline__ int backward(int value) {
  Stack<int, 4> stack;
  stack.push(value);
  stack.push(scaled(value));
  return stack.pop() - stack.pop();
}

__global__ void backward_kernel(double *out) {
  Stack<double, 6> stack;
  stack.push(scaled(1.5));
  out[threadIdx.x] = stack.pop() + backward(threadIdx.x);
}

__global__ void forward(int *out);

int main() {
  int *ints;
  double *doubles;
  cudaMallocManaged(&ints, 4 * sizeof(int));
  cudaMallocManaged(&doubles, 4 * sizeof(double));
  forward<<<1, 4>>>(ints);
  backward_kernel<<<1, 4>>>(doubles);
  const cudaError_t status = cudaDeviceSynchronize();
  const bool right = status == cudaSuccess && ints[3] == 21 + 2 * 3 && doubles[1] == 4.5 + 2.0;
  std::printf("weak_templates: %s\n", right ? "PASS" : "FAIL");
  return right ? 0 : 1;
}
