// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
extern "C" __global__ void child(int *out);
extern "C" __global__ void k(int *out) {
  *reinterpret_cast<void **>(out) = (void *)child;
}
