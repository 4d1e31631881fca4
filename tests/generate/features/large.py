# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels with parameters, bounds, names and stacks that are larger or stricter than usual, many
kernels in one file, and kernels as values."""

from program import LEVEL_KERNEL, LEVEL_LEAF, LEVEL_TEMPLATE, Step

BOUNDS = ["__launch_bounds__(1024, 1, 4) ", "__launch_bounds__(64, 8, 2) ", "__launch_bounds__(96) ",
          "__maxnreg__(168) ", "__launch_bounds__(128) __cluster_dims__(2, 1, 1) ", ""]


def add_large_parameters(program, dice):
    """Structs of more than 4 KiB (from sm_70 on with PTX 8.1) and __grid_constant__."""
    for _ in range(dice.between(1, 2)):
        file = dice.pick(program.cuda_files)
        size = dice.pick([12, 64, 1000, 1021, 1024, 2000, 8100])
        name, struct = program.unique("large_kernel"), program.unique("Large")
        align = dice.pick(["", "__align__(16) ", "__align__(64) ", "__align__(128) "])
        file.declare("struct %s%s { int items[%d]; };" % (align, struct, size))
        constant = dice.pick(["const __grid_constant__ ", "", "const "])
        lines = "\n".join(program.statements(file, dice, LEVEL_KERNEL, dice.between(0, 4), True, True))
        file.define("__global__ void %s(int *p, int x, %s%s large) {\n%s\n"
                    "  p[threadIdx.x] = x + large.items[x %% %d];\n}"
                    % (name, constant, struct, lines, size))
        program.kernels.append(name)
        if dice.chance(0.4):
            reader = program.unique("large_reader")
            declare = "__device__ int %s(const %s &large, int x);" % (reader, struct)
            file.define("__device__ __noinline__ int %s(const %s &large, int x) { return large.items[x & 7]; }"
                        % (reader, struct))
            kernel = program.unique("large_kernel")
            file.define("__global__ void %s(const __grid_constant__ %s large, int *p, int x) { p[0] = "
                        "%s(large, x); }" % (kernel, struct, reader))
            program.kernels.append(kernel)


def add_many_kernels(program, dice):
    """Ten to forty kernels of one template or one pattern in a file."""
    file = dice.pick(program.cuda_files)
    count = dice.between(10, 40)
    stem = program.unique("many")
    bounds = dice.pick(["", "", "__launch_bounds__(96) ", "__maxnreg__(168) "])
    if dice.chance(0.5):
        file.define("template <int N> __global__ void %s%s(int *p, int x) { p[threadIdx.x] = x * N; }"
                    % (bounds, stem))
        for index in range(count):
            file.define("template __global__ void %s<%d>(int *, int);" % (stem, index))
        return
    helper = program.unique("many_helper")
    dice.pick(program.cuda_files).define("__device__ __noinline__ int %s(int x) { return x ^ %d; }"
                                         % (helper, dice.between(1, 99)))
    file.declare("__device__ int %s(int x);" % helper)
    for index in range(count):
        name = "%s_%d" % (stem, index)
        use = helper + "(x)" if dice.chance(0.5) else "x"
        file.define("__global__ void %s%s(int *p, int x) { p[threadIdx.x] = %s; }" % (bounds, name, use))
        program.kernels.append(name)


def add_bounds(program, dice):
    """All the bounds a kernel may have."""
    for _ in range(dice.between(1, 3)):
        file = dice.pick(program.cuda_files)
        name, bounds = program.unique("bounded_kernel"), dice.pick(BOUNDS)
        guard = ("\n#if __CUDA_ARCH__ >= 900\n", "\n#endif\n") if "cluster" in bounds or ", 4" in bounds \
            or "8, 2" in bounds else ("", "")
        if guard[0]:
            file.native = True
        lines = "\n".join(program.statements(file, dice, LEVEL_KERNEL, dice.between(0, 4), True, True))
        file.define("__global__ void %s%s%s%s(int *p, int x) {\n%s\n  p[threadIdx.x] = x;\n}"
                    % (guard[0], bounds, guard[1], name, lines))
        program.kernels.append(name)


def add_deep_stacks(program, dice):
    """Large and strictly aligned stack frames, handed down by reference."""
    for _ in range(dice.between(1, 2)):
        name = program.unique("deep")
        size = dice.pick([600, 1500, 3000])
        align = dice.pick(["", "alignas(32) ", "alignas(128) "])
        file = dice.pick(program.cuda_files)
        lines = "\n".join(program.statements(file, dice, LEVEL_TEMPLATE, dice.between(0, 2)))
        file.define("__device__ __noinline__ int %(n)s_fill(int *row, int x) { for (int i = 0; i < %(s)d; ++i) "
                    "row[i] = x ^ i; return row[x & 255]; }\n__device__ __noinline__ int %(n)s(int x) {\n"
                    "%(l)s\n  %(a)sint row[%(s)d]; return %(n)s_fill(row, x);\n}"
                    % {"n": name, "s": size, "a": align, "l": lines})
        program.offer(Step("x += %s(x);" % name, None, ["__device__ int %s(int x);" % name], LEVEL_TEMPLATE))


def add_long_names(program, dice):
    """Names of hundreds and thousands of characters, as nested templates have them."""
    name = program.unique("Nest")
    declare = ("template <class A, class B> struct %(n)s { static __device__ __noinline__ int run(int x) "
               "{ return A::run(x) + B::run(x + 1); } };\nstruct %(n)sEnd { static __device__ int run(int x) "
               "{ return x * %(v)d; } };" % {"n": name, "v": dice.between(2, 9)})
    kind = name + "End"
    for _ in range(dice.between(2, 6)):
        kind = "%s<%s, %s>" % (name, kind, dice.pick([name + "End", kind]))
    program.offer(Step("x += %s::run(x);" % kind, None, [declare], LEVEL_TEMPLATE))
    if dice.chance(0.5):
        file = dice.pick(program.cuda_files)
        long = program.unique("a_" + "very_" * dice.pick([20, 60, 200]) + "long_name")
        file.define("__device__ __noinline__ int %s(int x) { return x + 3; }" % long)
        program.offer(Step("x += %s(x);" % long, None, ["__device__ int %s(int x);" % long]))


def add_kernel_values(program, dice):
    """Addresses of kernels in variables, also of kernels of other files."""
    name = program.unique("valued_kernel")
    home, file = dice.pick(program.cuda_files), dice.pick(program.cuda_files)
    home.define("__global__ void %s(int *p, int x) { p[0] = x; }" % name)
    program.kernels.append(name)
    table = program.unique("kernel_table")
    file.declare("__global__ void %s(int *p, int x);" % name)
    space = dice.pick(["__device__", "__constant__"])
    file.declare("%s void (*%s[2])(int *, int) = {%s, nullptr};" % (space, table, name))
    program.offer(Step("x += %s[x & 1] != nullptr;" % table, None,
                       ["extern %s void (*%s[2])(int *, int);" % (space, table)], LEVEL_LEAF))


def add_dynamic_types(program, dice):
    """Memory sized at launch under one name with other types and alignments in each file, and behind
    the usual class template."""
    name = program.unique("arena")
    for file in dice.sample(program.cuda_files, dice.between(2, 4)):
        kind = dice.pick(["char", "int", "double", "float4", "unsigned char"])
        field = ".x" if kind == "float4" else ""
        align = dice.pick(["", "__align__(16) ", "__align__(8) ", "__align__(1024) ", "__align__(128) "])
        program.offer(Step("%(n)s[threadIdx.x & 3]%(f)s = x; __syncthreads(); x += (int)%(n)s[x & 3]%(f)s;"
                           % {"n": name, "f": field}, file,
                           ['extern "C" { extern __shared__ %s%s %s[]; }' % (align, kind, name)],
                           kernel_only=dice.chance(0.5)))
    template = program.unique("SharedMemory")
    declare = ("template <class T> struct %(n)s { static __device__ __forceinline__ T *get() { extern __shared__ "
               "unsigned char %(n)s_bytes[]; return (T *)%(n)s_bytes; } static __device__ __noinline__ T load(int i) "
               "{ return get()[i]; } };" % {"n": template})
    for kind in dice.sample(["int", "double", "short"], 2):
        program.offer(Step("%(n)s<%(k)s>::get()[threadIdx.x & 3] = x; __syncthreads(); x += (int)%(n)s<%(k)s>::load("
                           "x & 3);" % {"n": template, "k": kind}, None, [declare], LEVEL_TEMPLATE))
