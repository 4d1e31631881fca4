extern "C" __device__ __noinline__ float twice_a(float x) { return x * 2.5f + 1; }
extern "C" __device__ __noinline__ float twice_b(float x) { return x * 2.5f + 1; }
extern "C" __device__ __noinline__ float other(float x) { return x * 3.5f + 1; }
extern "C" __device__ __noinline__ float outer_a(float x) { return twice_a(x) + other(x); }
extern "C" __device__ __noinline__ float outer_b(float x) { return twice_b(x) + other(x); }
typedef float (*fn)(float);
extern "C" __device__ __noinline__ float taken_a(float x) { return x * 7.5f + 1; }
extern "C" __device__ __noinline__ float taken_b(float x) { return x * 7.5f + 1; }
__device__ fn table[2] = {taken_a, taken_b};
extern "C" __device__ float elsewhere(float);
extern "C" __device__ float elsewhere2(float);
extern "C" __global__ void k(float *p, int n) { p[0] = outer_a(p[0]) + outer_b(p[1]) + table[n](p[2]) + elsewhere(p[3]) + elsewhere2(p[4]); p[5] = table[0] == table[1]; }
