// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The few device declarations that generated programs use. nvcc would include cuda_runtime.h, whose
// hundred thousand lines take ten times longer to parse than a generated program.
#pragma once

#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __host__ __attribute__((host))
#define __constant__ __attribute__((constant))
#define __shared__ __attribute__((shared))
#define __managed__ __attribute__((managed))
#define __noinline__ __attribute__((noinline))
#define __forceinline__ __inline__ __attribute__((always_inline))
#define __align__(n) __attribute__((aligned(n)))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __maxnreg__(n) __attribute__((maxnreg(n)))
#define __cluster_dims__(...) __attribute__((cluster_dims(__VA_ARGS__)))
#define __grid_constant__ __attribute__((grid_constant))
#define __builtin_type__ __attribute__((device_builtin))

using size_t = decltype(sizeof(0));

struct __builtin_type__ uint3 {
  unsigned x, y, z;
};
struct __builtin_type__ dim3 {
  unsigned x, y, z;
};
struct __builtin_type__ __align__(8) int2 {
  int x, y;
};
struct __builtin_type__ __align__(16) int4 {
  int x, y, z, w;
};
struct __builtin_type__ __align__(16) float4 {
  float x, y, z, w;
};
struct __builtin_type__ __align__(16) double2 {
  double x, y;
};

extern __device__ const uint3 __builtin_type__ threadIdx;
extern __device__ const uint3 __builtin_type__ blockIdx;
extern __device__ const dim3 __builtin_type__ blockDim;
extern __device__ const dim3 __builtin_type__ gridDim;
extern __device__ const int __builtin_type__ warpSize;

extern "C" {
__device__ __builtin_type__ void __syncthreads(void);
__device__ __builtin_type__ void __threadfence(void);
__device__ __builtin_type__ int __popc(unsigned);
__device__ __builtin_type__ int __clz(int);
__device__ __builtin_type__ void __trap(void);
__device__ int printf(const char *, ...);
__device__ void *malloc(size_t);
__device__ void free(void *);
__device__ __attribute__((noreturn)) void __assertfail(const char *text, const char *file,
                                                       unsigned line, const char *function,
                                                       size_t char_size);
}

#define device_assert(condition)                                                                   \
  ((condition) ? (void)0 : __assertfail(#condition, "generated.cu", __LINE__, __func__, 1))

inline __device__ void *operator new(size_t, void *at) noexcept {
  return at;
}
