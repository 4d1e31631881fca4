__device__ int offset = 7;
__device__ int other = 9;
__device__ int square(int x) { return x * x + offset + other; }
__global__ void square_all(int *out) { *out = square(*out); }
