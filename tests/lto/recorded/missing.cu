// Nobody defines what this file uses.
extern __device__ int nowhere;
__global__ void reader(int *out) { *out = nowhere; }
