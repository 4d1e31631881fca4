// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel that launches a kernel of another file.
#include "../check.h"

__device__ void start_child(int *out);
__global__ void kernel(int *out) {
  start_child(out);
}
int main() {
  return run<int>(
      16, [](int *out) { kernel<<<1, 1>>>(out); }, [](int i) { return 5 * i + 1; });
}
