#define STEP 29
#define TABLE {4.5, 3.25, 1e12, 8.5}
#include "versions.h"

extern __device__ int from_first(int x);
extern __device__ float from_second(int x);
typedef int (*Function)(int);
__device__ Function chosen[2] = {from_first, lookup};

__global__ void third(int *p) {
  *p = chosen[*p & 1](*p) + (int)(from_second(*p) * twist<float>(*p)) + share(*p) + twist<int>(*p);
}
