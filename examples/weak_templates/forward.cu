// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// First user of the instances; also defines the function that only this file has.
#include "stack.h"

__device__ int backward(int value);

__global__ void forward(int *out) {
  Stack<int, 4> stack;
  stack.push(threadIdx.x);
  stack.push(scaled(7));
  out[threadIdx.x] = stack.pop() + backward(stack.pop());
}
