static __device__ __noinline__ float hidden(float x) { return x * 2.5f + 1; }
extern "C" __device__ float elsewhere(float x) { return hidden(x) * 3; }
