// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Virtual functions; the derived class is in another file.
#include "../check.h"

struct Shape {
  __device__ virtual int area() const { return 0; }
  __device__ virtual int corners() const { return 0; }
};
struct Square : Shape {
  int side;
  __device__ explicit Square(int s) : side(s) {}
  __device__ int area() const override { return side * side; }
  __device__ int corners() const override { return 4; }
};
__device__ Shape *make_other(void *memory, int size);
__global__ void kernel(int *out) {
  __align__(16) char memory[64];
  Shape *shape =
      threadIdx.x % 2 ? make_other(memory, threadIdx.x) : new (memory) Square(threadIdx.x);
  out[threadIdx.x] = 100 * shape->area() + shape->corners();
}
int main() {
  return run<int>(
      16, [](int *out) { kernel<<<1, 16>>>(out); },
      [](int i) { return i % 2 ? 100 * (i * (i + 1) / 2) + 3 : 100 * i * i + 4; });
}
