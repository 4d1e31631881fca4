// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Texture and surface objects, and a switch dense enough to become a jump table in constant memory.
__device__ float sampled_by_reference(float x, float y);

__device__ __noinline__ float blend(int mode, float a, float b) {
  switch (mode) {
    case 0: return a + b;
    case 1: return a - b;
    case 2: return a * b + 1.0f;
    case 3: return a > b ? a : b;
    case 4: return a < b ? a : b + 0.5f;
    case 5: return a * a - b;
    case 6: return sqrtf(a) + b * b;
    case 7: return a / (b + 2.0f);
    default: return 0.0f;
  }
}

__global__ void resample(cudaTextureObject_t from, cudaSurfaceObject_t to, int mode) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  const float a = tex2D<float>(from, x + 0.5f, y + 0.5f);
  const float b = sampled_by_reference(x + 0.5f, y + 0.5f);
  surf2Dwrite(blend(mode, a, b), to, x * int(sizeof(float)), y);
}
