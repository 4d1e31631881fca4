extern __device__ double table(int, double);
__device__ __noinline__ int other(int a, int b) {
  switch (a & 15) {
    case 0: return (int)table(b, 3.14159); case 1: return b * 3 + 1; case 2: return b * b + 17; case 3: return (int)table(b, 1.7e300);
    case 4: return b + 12345; case 5: return b >> 3; case 6: return (int)table(a, b); case 7: return b - a; default: return b; }
}
__device__ __noinline__ double table(int a, double x) { return x * 3.14159265358979 + a * 2.718281828459045 + 1.2345e-200; }
