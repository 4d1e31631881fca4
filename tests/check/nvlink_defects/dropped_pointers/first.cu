__constant__ long long small = 1;
extern __constant__ long long numbers[3];
extern "C" __global__ void k(int *out) { out[threadIdx.x] = small + numbers[threadIdx.x % 3]; }
