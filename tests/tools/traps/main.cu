extern __device__ int f(int x);
__global__ void k(int *p) { *p = f(*p); }
int main() { int *p; cudaMalloc(&p, 4); k<<<1,1>>>(p); return 0; }
