// A kernel, a function it calls, one that nobody calls, and one of another file.
extern __device__ int far_away(int x);
__constant__ int table[4];

__device__ __noinline__ int helper(int x) { return far_away(x) + table[x & 3]; }

__device__ __noinline__ int lonely(int x) { return x * 3; }

__global__ void steps(int *out) {
  __shared__ int buffer[32];
  buffer[threadIdx.x & 31] = helper(out[threadIdx.x]);
  out[threadIdx.x] = buffer[(threadIdx.x + 1) & 31];
}
