// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
struct Value {
  char bytes[1];
};
extern "C" __device__ int sum(Value value);
extern "C" __global__ void k(int *out) {
  Value value{{char(threadIdx.x)}};
  out[threadIdx.x] = sum(value);
}
