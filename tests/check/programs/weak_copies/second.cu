#define STEP 11
#define TABLE {4.5, 2.25, 1e11, 8.0}
#include "versions.h"

__device__ __noinline__ float from_second(int x) {
  return twist<int>(x) * twist<float>(x) + lookup(x);
}
__global__ void second(float *p) {
  *p = from_second(share((int)*p));
}
