extern __device__ int other(int, int);
__device__ __noinline__ int sw(int x, int y) {
  switch (x) {
    case 0: return other(y, 1); case 1: y += 7; return y * 3; case 2: return other(y * y, 2);
    case 3: return y ^ 0x55; case 4: return other(y - 9, y); case 5: return y << 4; case 6: return other(3, y);
    case 7: return y / 3; case 8: return other(y, 99); case 9: return ~y; default: return x;
  }
}
__global__ void k(int *p) { *p = sw(p[1], p[2]); }
__global__ void k2(int *p) { *p = sw(p[3], p[2]) + other(1, 2); }
