# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Files that use what comes with CUDA: mathematics, half precision, textures, barriers, atomics, random
numbers, block-wide primitives, launches from kernels. They include the real headers, so each is a file
of its own and drawn seldom; two files of one kind have copies of the same weak functions."""

from program import LEVEL_TEMPLATE, Step
from toolchain import HEADERS_FULL

# Per kind: includes, statements over `int x` and `int *p`, the first target that has them.
LIBRARIES = {
    "math": ("", [
        "x += (int)(sinf(x) + cosf(x * 0.5f) * powf(x, 1.5f));",
        "x += (int)(sin((double)x) + exp(x * 0.001) * log(x + 2.5));",
        "{ float s, c; sincosf((float)x, &s, &c); x += (int)(s * 100 + c); }",
        "x += (int)(erff(x) + tgammaf(x & 7) + j0f(x));",
        "x += (int)(fmod((double)x, 3.5) + cbrt((double)x) + hypot((double)x, 2.0));",
        "x += (int)(tan((double)x) * atan2((double)x, 3.0));",
        "x = __float2int_rn(__fdividef(x, 3.0f)) + __brev(x) + __funnelshift_l(x, 5, 3);"], 75),
    "half": ("#include <cuda_fp16.h>\n#include <cuda_bf16.h>\n#include <mma.h>", [
        "{ half h = __int2half_rn(x); x += __half2int_rn(hsin(h) + __hfma(h, h, h)); }",
        "{ __nv_bfloat16 b = __float2bfloat16(x); x += (int)__bfloat162float(b * b); }",
        "atomicAdd((half2 *)p, __floats2half2_rn(1.f, 2.f));",
        "atomicAdd((double *)p, 1.5);",
        "{ namespace w = nvcuda::wmma; w::fragment<w::matrix_a, 16, 16, 16, half, w::row_major> a; "
        "w::fragment<w::matrix_b, 16, 16, 16, half, w::col_major> b; w::fragment<w::accumulator, 16, 16, 16, "
        "float> c; w::fill_fragment(c, 0.0f); w::load_matrix_sync(a, (half *)p, 16); w::load_matrix_sync(b, "
        "(half *)p + 256, 16); w::mma_sync(c, a, b, c); w::store_matrix_sync((float *)p, c, 16, "
        "w::mem_row_major); }"], 75),
    "textures": ("", [
        "x += (int)tex2D<float>((cudaTextureObject_t)p, x, x);",
        "x += (int)tex1Dfetch<float4>((cudaTextureObject_t)p, x).x;",
        "x += (int)tex2DLayered<float>((cudaTextureObject_t)p, x, x, 1);",
        "surf2Dwrite<int>(x, (cudaSurfaceObject_t)p, 4, 5);",
        "x += surf1Dread<int>((cudaSurfaceObject_t)p, 8);"], 75),
    "barriers": ("#include <cuda/barrier>\n#include <cuda/atomic>\n#include <cooperative_groups.h>", [
        "{ __shared__ cuda::barrier<cuda::thread_scope_block> bar; if (threadIdx.x == 0) init(&bar, blockDim.x); "
        "__syncthreads(); bar.arrive_and_wait(); x += 1; }",
        "{ __shared__ cuda::barrier<cuda::thread_scope_block> bar; __shared__ int room[64]; auto block = "
        "cooperative_groups::this_thread_block(); if (threadIdx.x == 0) init(&bar, blockDim.x); block.sync(); "
        "cuda::memcpy_async(block, room, p, sizeof(room), bar); bar.arrive_and_wait(); x += room[x & 63]; }",
        "{ cuda::atomic_ref<int, cuda::thread_scope_device> a(p[0]); x += a.fetch_add(x); }",
        "{ static __device__ cuda::atomic<int, cuda::thread_scope_system> total; total.fetch_max(x); }"], 75),
    "random": ("#include <curand_kernel.h>", [
        "{ curandStatePhilox4_32_10_t s; curand_init(1234, x, 0, &s); x += curand(&s); p[1] = curand_normal(&s); }",
        "{ curandStateXORWOW_t *s = (curandStateXORWOW_t *)p; curand_init(7, x, 3, s); x += (int)curand_uniform(s); }",
        "{ curandStateMRG32k3a_t *s = (curandStateMRG32k3a_t *)p; curand_init(7, x, 3, s); x += curand(s); }"], 75),
    "primitives": ("#include <cub/block/block_reduce.cuh>\n#include <cub/block/block_scan.cuh>", [
        "{ using R = cub::BlockReduce<int, 128>; __shared__ R::TempStorage room; x += R(room).Sum(x); }",
        "{ using R = cub::BlockScan<int, 64>; __shared__ R::TempStorage room; R(room).InclusiveSum(x, x); }",
        "{ using R = cub::WarpReduce<float>; __shared__ R::TempStorage room[4]; x += (int)R(room[x & 3]).Sum(x); }"], 75),
    "groups": ("#include <cooperative_groups.h>\n#include <cooperative_groups/reduce.h>", [
        "x = cooperative_groups::reduce(cooperative_groups::tiled_partition<32>(cooperative_groups::"
        "this_thread_block()), x, cooperative_groups::plus<int>());",
        "cooperative_groups::this_grid().sync();",
        "x += cooperative_groups::binary_partition(cooperative_groups::coalesced_threads(), x & 1).size();",
        "x += cooperative_groups::labeled_partition(cooperative_groups::coalesced_threads(), x & 3).num_threads();"],
               75),
}


def add_library(program, dice):
    kind = dice.pick(sorted(LIBRARIES))
    includes, statements, _ = LIBRARIES[kind]
    native = dice.chance(0.6)
    for _ in range(dice.between(1, 2)):
        file = program.add_file("library", "cuda")
        file.headers = HEADERS_FULL
        file.native = native
        if includes:
            file.declare(includes)
        function, kernel = program.unique("library_function"), program.unique("library_kernel")
        lines = ["  " + text for text in dice.sample(statements, dice.between(1, 3))]
        file.define("__device__ __noinline__ int %s(int *p, int x) {\n%s\n  return x;\n}"
                    % (function, "\n".join(lines)))
        lines = ["  " + text for text in dice.sample(statements, dice.between(1, 2))]
        file.define("__global__ void %s(int *p, int x) {\n%s\n  p[threadIdx.x] = x + %s(p, x);\n}"
                    % (kernel, "\n".join(lines), function))
        program.kernels.append(kernel)
        program.offer(Step("x += %s(p, x);" % function, None, ["__device__ int %s(int *p, int x);" % function],
                           LEVEL_TEMPLATE, needs_pointer=True))


CHILDREN = """__global__ void %(child)s(int *p, int x) { p[threadIdx.x] = x; }
template <int N> __global__ void %(child)s_of(int *p) { p[threadIdx.x] = N; }"""


def add_real_launches(program, dice):
    """child<<<...>>>() in device code, of kernels of the same and of another file and of templates."""
    program.device_runtime = True
    home, file = program.add_file("launches", "cuda"), program.add_file("launches", "cuda")
    child, parent = program.unique("launched_kernel"), program.unique("launching_kernel")
    for one in (home, file):
        one.headers = HEADERS_FULL
    names = {"child": child, "parent": parent, "n": dice.between(1, 9)}
    home.define(CHILDREN % names)
    file.declare("__global__ void %(child)s(int *p, int x);\ntemplate <int N> __global__ void %(child)s_of(int *p) "
                 "{ p[threadIdx.x] = N; }" % names)
    steps = ["%(child)s<<<1, 32>>>(p, x);", "%(child)s_of<%(n)d><<<2, 64, 128, cudaStreamTailLaunch>>>(p);",
             "%(parent)s<<<1, 1, 0, cudaStreamFireAndForget>>>(p, x - 1);",
             "cudaMemsetAsync(p, 0, 4, cudaStreamFireAndForget);", "x += cudaGetLastError();",
             "{ cudaStream_t s; cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking); %(child)s<<<1, 1, 0, s>>>(p, x); }"]
    for one in (file, home) if dice.chance(0.5) else (file,):
        lines = "\n".join("    " + text % names for text in dice.sample(steps, dice.between(1, 4)))
        one.define("__global__ void %s(int *p, int x) {\n  if (x > 0) {\n%s\n  }\n  p[0] = x;\n}"
                   % (parent, lines))
        program.kernels.append(parent)
        names["parent"] = parent = program.unique("launching_kernel")
    program.kernels.append(child)
