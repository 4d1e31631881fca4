// Two versions of one header: the files disagree about inline functions, of which the link keeps one.
#define STEP 3
#define TABLE {1.5, 2.25, 1e10, 7.0}
#include "versions.h"

__device__ __noinline__ int from_first(int x) {
  return twist<int>(x) + lookup(x);
}
__global__ void first(int *p) {
  __shared__ int room[32];
  room[threadIdx.x] = from_first(*p);
  __syncthreads();
  *p = room[threadIdx.x ^ 1] + share(*p);
}
