// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A template instantiated in two files: both objects carry a weak copy and the linker keeps one.
#pragma once

template <typename T, int N> struct Stack {
  T slots[N];
  int depth = 0;

  __device__ __noinline__ void push(T value) {
    slots[depth % N] = value;
    ++depth;
  }
  __device__ __noinline__ T pop() {
    --depth;
    return slots[depth % N];
  }
};

template <typename T> __device__ T scale_factor = T(3);

template <typename T> __device__ __noinline__ T scaled(T value) {
  return value * scale_factor<T>;
}
