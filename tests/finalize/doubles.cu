// Double-precision divisions of sm_100, which is made anew for sm_103.
extern __device__ double far_away(double x);

__global__ void doubles(double *out) {
  const double x = out[threadIdx.x];
  out[threadIdx.x] = far_away(x / 3.0 + 1.0) / x;
}
