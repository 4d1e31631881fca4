// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Vtables and a table of function pointers: data that holds the addresses of functions, which only
// the linker can tell apart from functions nobody needs.
#include "shapes.h"

#include <new>

namespace {

struct Square : Shape {
  __device__ explicit Square(float size) : Shape(size) {}
  __device__ float area() const override { return size * size; }
  __device__ int corners() const override { return 4; }
};

struct Circle : Shape {
  __device__ explicit Circle(float size) : Shape(size) {}
  __device__ float area() const override { return 3.0f * size * size; }
};

}  // namespace

__device__ Shape *make_shape(int kind, void *storage, float size) {
  if (kind == 0)
    return new (storage) Square(size);
  return new (storage) Circle(size);
}

__device__ float doubled(float value) { return value * 2.0f; }
__device__ float negated(float value) { return -value; }
static __device__ float unchanged(float value) { return value; }
__device__ float unreachable_from_any_kernel(float value) { return value + 1.0f; }

__device__ Transform transforms[3] = {doubled, negated, unchanged};
