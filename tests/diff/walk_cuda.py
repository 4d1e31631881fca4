# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The systematic walk over CUDA C++: a program of two files for each storage class, function attribute and
feature of the language that leaves a trace in objects, and for each option of nvcc that changes device code.

The rows have the first file, the second and the first target. Most need no header of the toolkit, which would take
a second to compile; FULL marks those that do.
"""

from collections import namedtuple

FULL = "full"
# `flags`: what the compiler gets, of NVCC cases nvcc itself. `headers`: FULL, "tiny", or NVCC.
Case = namedtuple("Case", "name files since only flags headers")
NVCC = "nvcc"

HEAD = """
#define __weak__ __attribute__((weak))
#define __used__ __attribute__((used))
#ifndef __nv_pure__
#define __nv_pure__ __attribute__((nv_pure))
#endif
#ifndef __block_size__
#define __block_size__(...) __attribute__((block_size(__VA_ARGS__)))
#endif
struct Pair { int x, y; };
struct Made { int x, y; __device__ constexpr Made(int a) : x(a), y(a + 1) {} };
struct Empty {};
struct Base { __device__ virtual int get(int x) { return x; } __device__ virtual ~Base() {} };
struct Derived : Base { int more = 4; __device__ int get(int x) override; };
"""
KERNEL = 'extern "C" __global__ void k1(int *p) { int x = *p; %s; *p = x; }\n'
SECOND = 'extern "C" __global__ void k2(int *p) { int x = *p; %s; *p = x; }\n'

# (name, declaration in the first file, its use, definition in the second file, its use)
VARIABLES = [
    ("device", "extern __device__ int v;", "x += v", "__device__ int v;", "x -= v"),
    ("device-value", "extern __device__ int v[3];", "x += v[x]", "__device__ int v[3] = {1, 2};", "x -= v[1]"),
    ("device-unsized", "extern __device__ int v[];", "x += v[x]", "__device__ int v[30];", "x -= v[1]"),
    ("constant", "extern __constant__ int v[4];", "x += v[x & 3]", "__constant__ int v[4] = {1, 2, 3, 4};", "x -= v[1]"),
    ("constant-unsized", "extern __constant__ int v[];", "x += v[x & 3]", "__constant__ int v[4];", "x -= v[1]"),
    ("managed", "extern __managed__ int v[4];", "x += v[x & 3]", "__managed__ int v[4] = {1, 2, 3, 4};", "x -= v[1]"),
    ("managed-device", "extern __device__ __managed__ Pair v;", "x += v.x", "__device__ __managed__ Pair v;", "x -= v.y"),
    ("static", "static __device__ int v = 3;", "x += v++", "static __device__ int v = 4;", "x -= v++"),
    ("static-constant", "static __constant__ int v = 3;", "x += v", "static __constant__ int v = 4;", "x -= v"),
    ("namespace", "namespace n { namespace { __device__ int v = 3; } }", "x += n::v++", "namespace n { namespace { __device__ int v = 4; } }", "x -= n::v++"),
    ("named", "namespace n { extern __device__ int v; }", "x += n::v++", "namespace n { __device__ int v = 4; }", "x -= n::v++"),
    ("c", 'extern "C" { extern __device__ int v; }', "x += v", 'extern "C" { __device__ int v = 2; }', "x -= v"),
    ("inline", "inline __device__ int v = 4;", "x += v++", "inline __device__ int v = 4;", "x -= v++"),
    ("inline-constant", "inline __constant__ int v = 4;", "x += v", "inline __constant__ int v = 4;", "x -= v"),
    ("inline-differs", "inline __device__ int v[2] = {4, 5};", "x += v[x]++", "inline __device__ int v[2] = {6, 7};", "x -= v[x]++"),
    ("constexpr", "constexpr __device__ int v[3] = {1, 2, 3};", "x += v[x]", "constexpr __device__ int v[3] = {1, 2, 3};", "x -= v[x]"),
    ("inline-constexpr", "inline constexpr __device__ int v[3] = {1, 2, 3};", "x += v[x]", "inline constexpr __device__ int v[3] = {1, 2, 3};", "x -= v[x]"),
    ("const-device", "extern const __device__ int v[3];", "x += v[x]", "extern const __device__ int v[3] = {1, 2, 3};", "x -= v[x]"),
    ("weak", "extern __device__ __weak__ int v;", "x += v", "__device__ __weak__ int v = 3;", "x -= v"),
    ("weak-both", "__device__ __weak__ int v = 2;", "x += v", "__device__ __weak__ int v = 3;", "x -= v"),
    ("used", "static __device__ __used__ int v = 2;", "", "__device__ __used__ int w = 3;", ""),
    ("template", "template <class T> __device__ T v = 3;", "x += v<int>++", "template <class T> __device__ T v = 3;", "x -= v<int>++"),
    ("template-constant", "template <class T> __constant__ T v = 3;", "x += v<int>", "template <class T> __constant__ T v = 3;", "x -= v<int>"),
    ("static-in-function", "__device__ int f() { static int v = 3; return v++; }", "x += f()", "inline __device__ int g() { static int v[3] = {3}; return v[2]++; }", "x -= g()"),
    ("static-in-inline", "inline __device__ int g() { static int v[3] = {3}; return v[2]++; }", "x += g()", "inline __device__ int g() { static int v[3] = {3}; return v[2]++; }", "x -= g()"),
    ("shared", "", "__shared__ int v[20]; v[x] = x; __syncthreads(); x += v[x + 1]", "", "__shared__ int v[30]; v[x] = x; __syncthreads(); x += v[x + 1]"),
    ("shared-extern-unsized", "extern __shared__ int v[];", "x += v[x]", "extern __shared__ int v[];", "x -= v[1]"),
    ("shared-extern-sized", "extern __shared__ int v[20];", "x += v[x]", "__shared__ int v[20];", "x -= v[1]"),
    ("shared-module", "static __shared__ int v[20];", "x += v[x]", "static __shared__ int v[24];", "x -= v[1]"),
    ("shared-in-inline", "inline __device__ int g(int x) { __shared__ int v[20]; v[x] = x; __syncthreads(); return v[x + 1]; }", "x += g(x)",
     "inline __device__ int g(int x) { __shared__ int v[20]; v[x] = x; __syncthreads(); return v[x + 1]; }", "x -= g(x)"),
    ("shared-in-function", "__device__ int g(int x);", "x += g(x)", "__device__ int g(int x) { __shared__ int v[20]; v[x] = x; __syncthreads(); return v[x + 1]; }", "x -= g(x)"),
    ("shared-template", "template <int n> __device__ int g(int x) { __shared__ int v[n]; v[x] = x; __syncthreads(); return v[x + 1]; }", "x += g<20>(x) + g<9>(x)",
     "template <int n> __device__ int g(int x) { __shared__ int v[n]; v[x] = x; __syncthreads(); return v[x + 1]; }", "x -= g<20>(x)"),
    ("shared-static-extern", "", "extern __shared__ char v[]; __shared__ int w[8]; w[x] = v[x]; __syncthreads(); x = w[x + 1]", "", "extern __shared__ double v[]; x = (int)v[x]"),
    ("aligned", "extern __device__ __align__(256) int v[3];", "x += v[x]", "__device__ __align__(256) int v[3];", "x -= v[1]"),
    ("structs", "extern __device__ Made v[3];", "x += v[x].y", "__device__ Made v[3] = {1, 2, 3};", "x -= v[1].x"),
    ("constant-structs", "extern __constant__ Made v[3];", "x += v[x].y", "__constant__ Made v[3] = {1, 2, 3};", "x -= v[1].x"),
    ("empty", "extern __device__ Empty v;", "x += (long)&v", "__device__ Empty v;", "x -= (long)&v"),
    ("pointer", "extern __device__ int *v;", "x += *v", "__device__ int w; __device__ int *v = &w;", "x -= *v"),
    ("pointer-other-file", "extern __device__ int w; __device__ int *v = &w;", "x += *v", "__device__ int w[1];", "x -= w[0]"),
    ("pointer-constant", "extern __device__ int w[4]; __constant__ int *v = &w[2];", "x += *v", "__device__ int w[4];", "x -= w[0]"),
    ("member-pointer", "__device__ int Pair::*v = &Pair::y;", "Pair q{x, 2}; x += q.*v", "__constant__ int Pair::*v2 = &Pair::y;", "Pair q{x, 2}; x -= q.*v2"),
    ("string", '__device__ const char *v = "text";', "x += v[x]", '__constant__ const char *v2 = "text";', "x -= v2[x]"),
    ("string-literal", "", 'const char *t = "literal"; x += t[x]', "", 'const char *t = "literal"; x -= t[x]'),
    ("local-array", "", "int v[40]; for (int i = 0; i < 40; i++) v[i] = x + i; x = v[x]", "", "const int v[6] = {5, 4, 9, 2, 8, 1}; x = v[x]"),
    ("union", "union U { float f; int i; }; extern __device__ U v;", "x += v.i", "union U { float f; int i; }; __device__ U v = {1.5f};", "x -= v.i"),
    ("bool-char-short", "extern __device__ bool v; extern __device__ char c; extern __device__ short s;", "x += v + c + s", "__device__ bool v = true; __device__ char c = 'x'; __device__ short s = -1;", ""),
    ("long-double", "extern __device__ double v;", "x += v", "__device__ double v = 1.5;", "x -= v"),
    ("volatile", "extern __device__ volatile int v;", "x += v", "__device__ volatile int v;", "v = x"),
]

# (name, text of the first file, use, text of the second, use, first target)
FUNCTIONS = [
    ("device", "__device__ int f(int);", "x = f(x)", "__device__ int f(int x) { return x + 3; }", "", 75),
    ("noinline", "__device__ int f(int); __noinline__ __device__ int g(int x) { return f(x) * 3; }", "x = g(x)", "__noinline__ __device__ int f(int x) { return x + 3; }", "x = f(x)", 75),
    ("forceinline", "__forceinline__ __device__ int f(int x) { return x * 7; }", "x = f(x)", "__forceinline__ __device__ int f(int x) { return x * 7; }", "x = f(x)", 75),
    ("inline-noinline", "inline __noinline__ __device__ int f(int x) { return x * 7; }", "x = f(x)", "inline __noinline__ __device__ int f(int x) { return x * 7; }", "x = f(x)", 75),
    ("inline-differs", "inline __noinline__ __device__ int f(int x) { return x * 7; }", "x = f(x)", "inline __noinline__ __device__ int f(int x) { return x / 7 + 2; }", "x = f(x)", 75),
    ("static", "static __noinline__ __device__ int f(int x) { return x * 7; }", "x = f(x)", "static __noinline__ __device__ int f(int x) { return x * 9; }", "x = f(x)", 75),
    ("unnamed-namespace", "namespace { __noinline__ __device__ int f(int x) { return x * 7; } }", "x = f(x)", "namespace { __noinline__ __device__ int f(int x) { return x * 9; } }", "x = f(x)", 75),
    ("weak", "__device__ __weak__ int f(int x) { return x * 7; }", "x = f(x)", "__device__ int f(int x) { return x + 3; }", "x = f(x)", 75),
    ("weak-declared", "__device__ __weak__ int f(int x);", "if (f) x = f(x)", "", "", 75),
    ("used", "static __used__ __device__ int f(int x) { return x * 7; }", "", "__used__ __device__ int g(int x) { return x * 9; }", "", 75),
    ("pure", "__nv_pure__ __device__ int f(int);", "x = f(x) + f(x)", "__nv_pure__ __device__ int f(int x) { return x + 3; }", "", 75),
    ("noreturn", "[[noreturn]] __device__ void f(int);", "if (x) f(x)", "[[noreturn]] __device__ void f(int x) { __trap(); while (true); }", "", 75),
    ("c", 'extern "C" __device__ int f(int);', "x = f(x)", 'extern "C" __device__ int f(int x) { return x + 3; }', "", 75),
    ("overloads", "__device__ int f(int); __device__ int f(double);", "x = f(x) + f(x * 0.5)", "__device__ int f(int x) { return x + 3; } __device__ int f(double x) { return (int)x; }", "", 75),
    ("structs", "__device__ Pair f(Pair, Made);", "Pair q = f({x, 1}, 5); x = q.y", "__device__ Pair f(Pair q, Made m) { return {q.y, m.x}; }", "", 75),
    ("big-struct", "struct Big { int n[200]; }; __device__ Big f(Big);", "Big q; q.n[7] = x; q = f(q); x = q.n[8]", "struct Big { int n[200]; }; __device__ Big f(Big q) { q.n[8] = q.n[7]; return q; }", "", 75),
    ("many-parameters", "__device__ int f(int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, int);", "x = f(x, 1, 2, 3, 4, 5, 6, 7, 8, 9, x, 1, 2, 3, 4, 5, 6, 7, 8, 9)",
     "__device__ int f(int a, int b, int c, int d, int e, int g, int h, int i, int j, int k, int, int, int, int, int, int, int, int, int, int z) { return a + b * k + z; }", "", 75),
    ("variadic-template", "template <class... T> __noinline__ __device__ int f(T... t) { return (t + ...); }", "x = f(x, 2, 3l)", "template <class... T> __noinline__ __device__ int f(T... t) { return (t + ...); }", "x = f(x, 2, 3l) + f(1)", 75),
    ("extern-template", "template <class T> __device__ T f(T x) { return x * 3; } extern template __device__ int f<int>(int);", "x = f(x)", "template <class T> __device__ T f(T x) { return x * 3; } template __device__ int f<int>(int);", "", 75),
    ("pointer", "typedef int (*F)(int); extern __device__ F table[2];", "x = table[x & 1](x)", "typedef int (*F)(int); __device__ int a(int x) { return x + 3; } __device__ int b(int x) { return x * 3; } __device__ F table[2] = {a, b};", "", 75),
    ("pointer-constant", "typedef int (*F)(int); extern __constant__ F table[2];", "x = table[x & 1](x)", "typedef int (*F)(int); __device__ int a(int x) { return x + 3; } __device__ int b(int x); __constant__ F table[2] = {a, b}; __device__ int b(int x) { return x * 9; }", "", 75),
    ("pointer-other-file", "__device__ int a(int); __device__ int (*table)(int) = a;", "x = table(x)", "__device__ int a(int x) { return x + 3; }", "", 75),
    ("pointer-parameter", "__device__ int f(int (*)(int), int); __noinline__ static __device__ int own(int x) { return x + 1; }", "x = f(own, x)", "__device__ int f(int (*g)(int), int x) { return g(x); }", "", 75),
    ("member-function-pointer", "struct S { int x; __device__ int f(int y); }; __device__ int (S::*m)(int) = &S::f;", "S s{x}; x = (s.*m)(x)", "struct S { int x; __device__ int f(int y); }; __device__ int S::f(int y) { return x + y; }", "", 75),
    ("virtual", "__device__ Base *make(void *);", "long room[4]; x = make(room)->get(x)", "inline __device__ void *operator new(size_t, void *p, int) { return p; } __device__ int Derived::get(int x) { return x + more; } __device__ Base *make(void *p) { return new (p, 1) Derived; }", "", 75),
    ("virtual-both", "inline __device__ void *operator new(size_t, void *p, int) { return p; }", "long room[4]; Base *b = new (room, 1) Derived; x = b->get(x)", "inline __device__ void *operator new(size_t, void *p, int) { return p; } __device__ int Derived::get(int x) { return x + more; }", "long room[4]; Base *b = x ? new (room, 1) Derived : new (room, 1) Base; x = b->get(x)", 75),
    ("virtual-inheritance", "struct A { int x; __device__ virtual int f() { return x; } }; struct B : virtual A { __device__ int f() override; }; __device__ int use(A *);", "B b; x = use(&b)",
     "struct A { int x; __device__ virtual int f() { return x; } }; struct B : virtual A { __device__ int f() override; }; __device__ int B::f() { return x + 1; } __device__ int use(A *a) { return a->f(); }", "B b; x = use(&b)", 75),
    ("lambda", "template <class F> __device__ int apply(F f, int x) { return f(x); }", "x = apply([=](int y) { return x + y; }, 3)", "template <class F> __noinline__ __device__ int apply(F f, int x) { return f(x); }", "x = apply([](int y) { return 3 + y; }, 3)", 75),
    ("lambda-pointer", "__device__ int f(int (*)(int), int);", "x = f([](int y) { return y * 5; }, x)", "__device__ int f(int (*g)(int), int x) { return g(x); }", "", 75),
    ("inline-lambda", "inline __device__ int f(int x) { auto g = [=](int y) { return x + y; }; return g(3) + g(4); }", "x = f(x)", "inline __device__ int f(int x) { auto g = [=](int y) { return x + y; }; return g(3) + g(4); }", "x = f(x)", 75),
    ("recursion", "__device__ int f(int);", "x = f(x)", "__device__ int f(int x) { return x ? f(x - 1) * 3 : 1; }", "", 75),
    ("mutual-recursion", "__device__ int f(int); __device__ int g(int x) { return x ? f(x - 1) * 3 : 1; }", "x = g(x)", "__device__ int g(int); __device__ int f(int x) { return g(x) + 1; }", "", 75),
    ("alloca", "__device__ int f(int);", "x = f(x)", "__device__ int f(int n) { int *p = (int *)__builtin_alloca(n * 4); p[n / 2] = n; return p[n / 3]; }", "", 75),
    ("printf", '__device__ void f(int x) { printf("%d\\n", x); }', "f(x)", 'static __device__ void f2(int x) { printf("%d %s\\n", x, "text"); }', "f2(x)", 75),
    ("malloc", "__device__ int *f(int);", "int *q = f(x); x = *q; free(q)", "__device__ int *f(int x) { int *q = (int *)malloc(x); *q = 3; return q; }", "", 75),
    ("assert", "__device__ int f(int);", "x = f(x)", '__device__ int f(int x) { if (x) __assertfail("x", "file", 3, "f", 1); return 4; }', 'if (x) __assertfail("x", "file", 5, "k2", 1)', 75),
    ("trap", "__device__ int f(int);", "x = f(x)", "__device__ int f(int x) { if (x) __trap(); return 4; }", "if (x) __trap()", 75),
    ("switch", "__device__ int f(int);", "x = f(x)", "__device__ int h(int); __noinline__ __device__ int h(int x) { return x * 3; } __device__ int f(int x) { switch (x) { case 0: return h(4); case 1: return x / 3; case 2: return h(x) * 9; case 3: return 77; case 4: return h(h(x)); case 5: return x ^ 99; case 6: return -x; } return 3; }", "", 75),
    ("division", "__device__ long f(long, long);", "x = f(x, 77)", "__device__ long f(long x, long y) { return x / y + x % y; }", "x = (unsigned long)x / (unsigned)(x + 1l)", 75),
    ("double", "__device__ double f(double, double);", "x = f(x, 77)", "__device__ double f(double x, double y) { return x / y; }", "x = 1.0 / x", 75),
    ("constants-of-code", "__device__ double f(double);", "x = f(x)", "__device__ double f(double x) { return x * 1.23456789012345 + 9.87654321e99; }", "x = x * 3.33333333333333333", 75),
    ("asm", "", 'asm volatile("mov.u32 %0, %%laneid;" : "=r"(x))', "", 'asm volatile("{ .reg .b32 t; mov.u32 t, %%smid; add.u32 %0, t, 5; }" : "=r"(x))', 75),
    ("undefined", "__device__ int f(int);", "x = f(x)", "", "", 75),
    ("defined-twice", "__device__ int f(int x) { return x; }", "x = f(x)", "__device__ int f(int x) { return x + 1; }", "x = f(x)", 75),
    ("dynamic-initialisation", "struct D { int x; __device__ D(int a) { x = a; } }; ", "__shared__ int room[4]; D d(x); room[x] = d.x; x = room[1]", "", "static Pair q = {4, 5}; x = q.x++", 75),
]

# (name, attributes of a kernel, parameters that follow, use, first target)
KERNELS = [
    ("launch_bounds1", "__launch_bounds__(128)", "", "", 75), ("launch_bounds2", "__launch_bounds__(128, 4)", "", "", 75), ("launch_bounds3", "__launch_bounds__(128, 4, 2)", "", "", 90),
    ("maxnreg", "__maxnreg__(40)", "", "", 75), ("cluster_dims", "__cluster_dims__(2, 1, 1)", "", "", 90), ("cluster_dims0", "__cluster_dims__(2)", "", "", 90),
    ("block_size1", "__block_size__((64, 1, 1))", "", "", 90), ("block_size2", "__block_size__((64, 1, 1), (2, 1, 1))", "", "", 90),
    ("grid_constant", "", ", const __grid_constant__ Pair q", "x += q.x + *(&q.x + x)", 75), ("struct", "", ", Made q", "x += q.x", 75), ("large", "", ", struct Large { int n[2000]; } q", "x += q.n[x]", 75),
    ("references", "", ", const int *__restrict__ q", "x += q[x]", 75), ("pointers", "", ", int (*q)(int)", "x = q(x)", 75), ("static", "static", "", "", 75), ("weak", "__weak__", "", "", 75),
    ("bytes", "", ", char a, short b, bool c, long d", "x += a + b + c + d", 75),
]

# Whole texts that include the headers of the toolkit: (name, first file, second file, first target).
FULL_TEXTS = [
    ("texture-object", "__device__ float f(cudaTextureObject_t t, float x); extern \"C\" __global__ void k1(cudaTextureObject_t t, float *p) { *p = f(t, *p) + tex2D<float>(t, *p, 1.f); }",
     "__device__ float f(cudaTextureObject_t t, float x) { return tex1Dfetch<float>(t, (int)x) + tex3D<float>(t, x, x, x); }", 75),
    ("surface-object", "__device__ float f(cudaSurfaceObject_t t, float x); extern \"C\" __global__ void k1(cudaSurfaceObject_t t, float *p) { *p = f(t, *p); surf2Dwrite(*p, t, 4, 5); }",
     "__device__ float f(cudaSurfaceObject_t t, float x) { return surf1Dread<float>(t, (int)x); }", 75),
    ("grid-sync", "#include <cooperative_groups.h>\n__device__ void f(); extern \"C\" __global__ void k1(int *p) { *p = 1; f(); *p += 1; }", "#include <cooperative_groups.h>\n__device__ void f() { cooperative_groups::this_grid().sync(); }", 75),
    ("cluster-sync", "#include <cooperative_groups.h>\n__device__ int f(int *); extern \"C\" __global__ void __cluster_dims__(2) k1(int *p) { __shared__ int s[8]; s[threadIdx.x & 7] = *p; *p = f(s); }",
     "#include <cooperative_groups.h>\n__device__ int f(int *s) { auto c = cooperative_groups::this_cluster(); c.sync(); return *c.map_shared_rank(s, 1); }", 90),
    ("tiles", "#include <cooperative_groups.h>\n#include <cooperative_groups/reduce.h>\n__device__ int f(int); extern \"C\" __global__ void k1(int *p) { *p = f(*p); }",
     "#include <cooperative_groups.h>\n#include <cooperative_groups/reduce.h>\nnamespace cg = cooperative_groups; __device__ int f(int x) { auto t = cg::tiled_partition<8>(cg::this_thread_block()); return cg::reduce(t, x, cg::plus<int>()); }", 75),
    ("launch", "extern \"C\" __global__ void k2(int *p); extern \"C\" __global__ void k1(int *p) { k2<<<1, 32>>>(p); }", "extern \"C\" __global__ void k2(int *p) { *p = 4; }", 75),
    ("launch-tail", "extern \"C\" __global__ void k2(int *p); extern \"C\" __global__ void k1(int *p) { k2<<<1, 32, 64, cudaStreamTailLaunch>>>(p); }", "extern \"C\" __global__ void k2(int *p) { extern __shared__ int s[]; *p = s[3]; }", 75),
    ("assert", "#include <cassert>\n__device__ int f(int); extern \"C\" __global__ void k1(int *p) { assert(*p); *p = f(*p); }", "#include <cassert>\n__device__ int f(int x) { assert(x > 3); return x; }", 75),
    ("new", "struct S { int x; __device__ S(int a) : x(a) {} __device__ virtual ~S() {} }; __device__ S *f(int); extern \"C\" __global__ void k1(int *p) { S *s = f(*p); *p = s->x; delete s; }",
     "struct S { int x; __device__ S(int a) : x(a) {} __device__ virtual ~S() {} }; __device__ S *f(int x) { return new S(x); }", 75),
    ("math", "__device__ double f(double); extern \"C\" __global__ void k1(double *p) { *p = f(*p) + sin(*p); }", "__device__ double f(double x) { return pow(x, 1.7) + tgamma(x) + sinf(x) + cos(x); }", 75),
    ("half", "#include <cuda_fp16.h>\n#include <cuda_bf16.h>\n__device__ __half f(__half2); extern \"C\" __global__ void k1(__half2 *p) { p->x = f(*p); }", "#include <cuda_fp16.h>\n#include <cuda_bf16.h>\n__device__ __half f(__half2 x) { return __hadd(hsin(x.x), hexp(x.y)); }", 75),
    ("pipeline", "#include <cuda_pipeline.h>\n__device__ void f(int *, int *); extern \"C\" __global__ void k1(int *p) { __shared__ int s[64]; f(s, p); *p = s[3]; }",
     "#include <cuda_pipeline.h>\n__device__ void f(int *s, int *p) { __pipeline_memcpy_async(s + threadIdx.x * 4, p + threadIdx.x * 4, 16); __pipeline_commit(); __pipeline_wait_prior(0); }", 75),
    ("atomic", "#include <cuda/atomic>\n__device__ cuda::atomic<int> v; __device__ int f(int); extern \"C\" __global__ void k1(int *p) { *p = v.fetch_add(f(*p)); }", "#include <cuda/atomic>\nextern __device__ cuda::atomic<int> v; __device__ int f(int x) { return v.load() + x; }", 75),
    ("barrier", "#include <cuda/barrier>\n__device__ void f(cuda::barrier<cuda::thread_scope_block> &); extern \"C\" __global__ void k1(int *p) { __shared__ cuda::barrier<cuda::thread_scope_block> b; if (!threadIdx.x) init(&b, 32); __syncthreads(); f(b); *p = 1; }",
     "#include <cuda/barrier>\n__device__ void f(cuda::barrier<cuda::thread_scope_block> &b) { b.arrive_and_wait(); }", 80),
    ("clock", "__device__ long f(); extern \"C\" __global__ void k1(long *p) { *p = f() + clock(); }", "__device__ long f() { return clock64() + __nv_isGlobal_f() ; }".replace(" + __nv_isGlobal_f() ", ""), 75),
    ("address-spaces", "__device__ int f(void *); extern \"C\" __global__ void k1(int *p) { __shared__ int s; *p = f(&s) + f(p); }", "__device__ int f(void *p) { return __isShared(p) + 2 * __isGlobal(p) + 4 * __isLocal(p) + 8 * __isConstant(p); }", 75),
    ("wmma", "#include <mma.h>\n__device__ void f(__half *, float *); extern \"C\" __global__ void k1(__half *p, float *q) { f(p, q); }",
     "#include <mma.h>\nusing namespace nvcuda; __device__ void f(__half *p, float *q) { wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> a; wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major> b; wmma::fragment<wmma::accumulator, 16, 16, 16, float> c;"
     " wmma::fill_fragment(c, 0.f); wmma::load_matrix_sync(a, p, 16); wmma::load_matrix_sync(b, p + 256, 16); wmma::mma_sync(c, a, b, c); wmma::store_matrix_sync(q, c, 16, wmma::mem_row_major); }", 75),
]

# Options of nvcc that change device code, of `nvcc --help`. Those that only reach ptxas are in walk_ptx.py.
OPTIONS = ["", "-G", "-G -dopt=on", "-lineinfo", "-G -lineinfo", "-g", "-O0", "-O1", "-O3", "-Ofc=0", "-Ofc=min", "-Ofc=mid", "-Ofc=max", "-pg", "-std=c++11", "-std=c++14", "-std=c++20", "-expt-relaxed-constexpr", "-extended-lambda",
           "-nohdinitlist", "-device-entity-has-hidden-visibility=false", "-device-entity-has-hidden-visibility=true", "-static-global-template-stub=false", "-split-compile=2", "-maxrregcount=32", "-use_fast_math", "-ftz=true",
           "-prec-div=false", "-prec-sqrt=false", "-fmad=false", "-extra-device-vectorization", "-default-stream=per-thread", "-keep-device-functions", "-src-in-ptx -lineinfo", "-restrict", "-ewp -rdc=false", "-jtd=10", "-reloc-ptx",
           "-device-stack-protector=true", "-frandom-seed=7", "-sanitize=memcheck", "-fdevice-sanitize=memcheck", "-simt-only", "-enable-tile", "-Xptxas=-preserve-relocs", "-Xptxas=-pic=true", "-Xptxas=-sp-bounds-check", "-Xcicc=-O1",
           "-noeh", "-dc", "-rdc=true", "-gen-opt-lto", "-Wno-deprecated-gpu-targets", "-opt-info=inline"]
OPTION_FIRST = """#include <cstdio>
template <class T> __device__ T v = 3;
__device__ float f(float, int); inline __device__ int g(int x) { static int n = 4; return x + n++; }
extern __constant__ int c[4]; extern __device__ int d; static __device__ int own = 7; __managed__ int m = 1;
template <class T> __global__ void k(T *p) { *p += g(*p) + v<T>; }
template __global__ void k<int>(int *);
extern "C" __global__ void __launch_bounds__(256) k1(float *p, const int *__restrict__ q) { extern __shared__ float s[]; __shared__ int w[32]; w[threadIdx.x] = q[threadIdx.x]; __syncthreads();
  int room[20]; for (int i = 0; i < 20; i++) room[i] = q[i]; p[1] = f(*p, q[1]) / p[2] + sqrtf(p[3]) * s[1] + w[q[2]] + c[q[3] & 3] + d + own++ + g(q[4]) + room[q[5]] + m; if (*p < 0) printf("%f\\n", *p); }
"""
OPTION_SECOND = """inline __device__ int g(int x) { static int n = 4; return x + n++; }
__constant__ int c[4] = {1, 2, 3}; __device__ int d = 9; static __device__ int own = 7;
__noinline__ static __device__ float h(float x) { char text[40]; for (int i = 0; i < 40; i++) text[i] = x * i; return text[(int)x] * 3.25f + x; }
__device__ float f(float x, int n) { switch (n) { case 0: return h(x); case 1: return x * x + 2; case 2: return __expf(x); case 3: return expf(x); case 4: return n / x; case 5: return h(h(x)); } return g(n) + sinf(x) + own++; }
extern "C" __global__ void k2(double *p) { *p = *p / 3 + c[1]; }
"""


def case(name, first, second, since=75, flags=(), headers="tiny"):
    return Case(name, (HEAD + first, HEAD + second), since, "", flags, headers)


def cases():
    for name, here, use, there, other_use in VARIABLES:
        yield case("cuda/variable/" + name, here + "\n" + KERNEL % use, there + "\n" + SECOND % other_use)
    for name, here, use, there, other_use, since in FUNCTIONS:
        yield case("cuda/function/" + name, here + "\n" + KERNEL % use, there + "\n" + SECOND % other_use, since)
    for name, attributes, parameters, use, since in KERNELS:
        kernel = "template <class T> __global__ %s void t(T *p%s) { int x = *p; %s; *p = f(x); }\n" % (attributes, parameters, use)
        if name == "large":
            kernel = "struct Large { int n[2000]; };\n" + kernel.replace("struct Large { int n[2000]; }", "Large")
        parameter_types = parameters and ", " + {"grid_constant": "const __grid_constant__ Pair", "struct": "Made", "large": "Large", "references": "const int *__restrict__", "pointers": "int (*)(int)", "bytes": "char, short, bool, long"}[name]
        plain = kernel.replace("template <class T> ", "").replace("void t(T", "void k1(int")
        yield case("cuda/kernel/" + name, "__device__ int f(int);\n" + plain, "__device__ int f(int x) { return x + 1; }\n" + SECOND % "", since)
        if name != "static":
            instance = "template __global__ %s void t<int>(int *%s);\n" % (attributes, parameter_types)
            yield case("cuda/kernel/template/" + name, "__device__ int f(int);\n" + kernel + instance, "__device__ int f(int x) { return x + 1; }\n" + kernel + instance, since)
    for name, first, second, since in FULL_TEXTS:
        yield Case("cuda/headers/" + name, (first + "\n", second + "\n"), since, "", (), FULL)
    for flags in OPTIONS:
        yield Case("nvcc/" + (flags.replace("-", "").replace(" ", "+") or "plain"), (OPTION_FIRST, OPTION_SECOND), 75, "", tuple(flags.split()), NVCC)
