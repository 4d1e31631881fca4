// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "add.h"
__constant__ Function first = add<1>;
__device__ int call_first(int x) {
  return first(x);
}
