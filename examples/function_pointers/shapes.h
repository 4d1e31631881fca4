// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A small class hierarchy whose objects are made in one file and used in another.
#pragma once

struct Shape {
  __device__ explicit Shape(float size) : size(size) {}
  __device__ virtual float area() const = 0;
  __device__ virtual int corners() const { return 0; }
  float size;
};

using Transform = float (*)(float);

__device__ Shape *make_shape(int kind, void *storage, float size);
extern __device__ Transform transforms[3];
