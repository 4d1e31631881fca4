# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What several files have a copy of: template kernels, functions with branch tables and literals, of
which the linker keeps one; and functions and variables of one name that belong to each file alone."""

from features.memory import jump_table
from program import LEVEL_TEMPLATE, Step

KERNEL_BODIES = [
    "p[threadIdx.x] = x * N;",
    "__shared__ int room[16 * N]; room[threadIdx.x] = x; __syncthreads(); p[threadIdx.x] = room[x & 15];",
    "extern __shared__ int pool[]; pool[threadIdx.x] = x + N; __syncthreads(); p[0] = pool[x & 7];",
    "double d = x; p[threadIdx.x] = (int)(d * 1.0000000001234 + d / (d + 0.1234567890123 * N));",
    "volatile int row[24]; for (int i = 0; i < 24; ++i) row[i] = x * i; p[threadIdx.x] = row[x & 15];",
    "static __device__ int count = N; count += x; p[threadIdx.x] = count;",
]


def add_weak_kernels(program, dice):
    for _ in range(dice.between(1, 2)):
        name = program.unique("weak_kernel")
        lines = [jump_table(dice)] if dice.chance(0.4) else []
        body = " ".join(lines + [dice.pick(KERNEL_BODIES)])
        for file in dice.sample(program.cuda_files, dice.between(2, 4)):
            file.declare("template <int N> __global__ void %s(int *p, int x) { %s }" % (name, body))
            for value in dice.sample([1, 2, 3], dice.between(1, 2)):
                file.define("template __global__ void %s<%d>(int *, int);" % (name, value))


def add_tables(program, dice):
    """Functions with branch tables, the same in all files."""
    for _ in range(dice.between(1, 2)):
        name = program.unique("table_copy")
        declare = ("template <int N> __device__ __noinline__ int %s(int x) { x *= N; %s return x; }"
                   % (name, jump_table(dice)))
        for value in dice.sample([1, 3, 5, 7], dice.between(1, 3)):
            program.offer(Step("x += %s<%d>(x);" % (name, value), None, [declare], LEVEL_TEMPLATE))


def add_differing_constants(program, dice):
    """Inline functions whose files disagree about what the compiler keeps in memory for them."""
    name = program.unique("inline_constants")
    wide = ("float a[20]; for (int i = 0; i < 20; ++i) a[i] = (float)x * i; %s "
            "for (int r = 0; r < 2; ++r) for (int i = 0; i < 20; ++i) a[i] += a[(i + r + 1) %% 20] * "
            "a[(i * 7 + r) %% 20]; float s = 0; for (int i = 0; i < 20; ++i) s += a[i]; "
            "return x + (int)s;")
    bodies = ["return x + 1;",
              "%s return x;" % jump_table(dice),
              wide % jump_table(dice),
              wide % "",
              "double d = x; return (int)(d * 1.00000001234567 + 2.7182818284590452 / (d + 3.14159));"]
    for file in dice.sample(program.cuda_files, dice.between(2, 4)):
        declare = "inline __device__ __noinline__ int %s(int x) { %s }" % (name, dice.pick(bodies))
        program.offer(Step("x += %s(x);" % name, file, [declare], LEVEL_TEMPLATE))


def add_local_names(program, dice):
    """Functions and variables of one name in several files, each for itself."""
    name = program.unique("own")
    for file in dice.sample(program.cuda_files, dice.between(2, 4)):
        space = dice.pick(["__device__", "__constant__"])
        file.declare("static %s int %s_value[%d] = {%d, 2};" % (space, name, dice.between(2, 9),
                                                               dice.between(1, 99)))
        body = dice.pick(["return x + %s_value[x & 1];" % name,
                          "%s return x ^ %s_value[1];" % (jump_table(dice), name),
                          "__shared__ int room[8]; room[x & 7] = x; __syncthreads(); "
                          "return room[1] + %s_value[x & 1];" % name])
        file.declare("static __device__ __noinline__ int %s(int x) { %s }" % (name, body))
        program.offer(Step("x += %s(x);" % name, file, (), LEVEL_TEMPLATE))
