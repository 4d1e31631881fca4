# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs that fill what a target has: constant banks, shared memory and image slots up to their
limits and beyond, dynamic shared memory of every alignment; and every name that the driver provides."""

from features.assembly import kernel
from program import Step

BANK = 65536             # bytes of __constant__ variables
SHARED = 49152           # bytes of shared memory without dynamic memory
BEYOND = "constants do not fit into their bank"

# What the driver provides; how it is called does not matter to a linker.
DRIVER_NAMES = ["vprintf", "malloc", "free", "vfprintf", "__assertfail", "__profile", "cudaGraphLaunch",
                "cudaGraphSetConditional", "cudaGraphKernelNodeSetParam", "cudaGraphKernelNodeSetGridDim",
                "cudaGraphKernelNodeSetEnabled", "cudaGraphKernelNodeUpdatesApply",
                "__cuda_syscall_cp_async_bulk_tensor", "__cuda_syscall_anything"]


def add_full_constants(program, dice):
    """__constant__ variables of all files fill the bank nearly, exactly or too much."""
    left = BANK + dice.pick([-3000, -64, -16, -4, 0, 0, 4, 16, 200])
    if left > BANK:
        program.failure = BEYOND
    files = dice.sample(program.cuda_files, dice.between(1, 3))
    for index, file in enumerate(files):
        size = left if index == len(files) - 1 else dice.between(1, 4000) * 4
        left -= size
        name = program.unique("full")
        file.declare("__constant__ __align__(4) char %s[%d] = {1};" % (name, size))
        program.offer(Step("x += %s[x & 1023];" % name, file))


def add_padded_constants(program, dice):
    """Variables of odd sizes and large alignments: what fits depends on their order."""
    for file in dice.sample(program.cuda_files, dice.between(1, 2)):
        for _ in range(dice.between(3, 12)):
            name, align = program.unique("padded"), dice.pick([1, 2, 4, 8, 16, 64, 256])
            file.declare("__constant__ __align__(%d) char %s[%d] = {%d};"
                         % (align, name, dice.pick([1, 3, 5, 12, 100, 257, 1000]), dice.below(99)))
            program.offer(Step("x += %s[0];" % name, file))


def add_full_shared(program, dice):
    """Shared variables of functions in several files, which only the linker adds up."""
    left = SHARED + dice.pick([-2000, -16, -4, 0, 0, 4, 16])
    file = dice.pick(program.cuda_files)
    calls = []
    for index, home in enumerate(dice.sample(program.cuda_files, 3)):
        size = left if index == 2 else dice.between(1000, 4000) * 4
        left -= size
        name = program.unique("full_shared")
        home.define("__device__ __noinline__ int %s(int x) { __shared__ char cells[%d]; cells[x & 1023] = x; "
                    "__syncthreads(); return cells[x & 511]; }" % (name, size))
        file.declare("__device__ int %s(int x);" % name)
        calls.append("%s(x)" % name)
        if left <= 0:
            break
    name = program.unique("full_kernel")
    file.define("__global__ void %s(int *p, int x) { p[threadIdx.x] = %s; }" % (name, " + ".join(calls)))
    program.kernels.append(name)


def add_compiler_constants(program, dice):
    """Functions with so many constants of double precision that a kernel's bank is nearly full, or too
    small, where the compiler puts them into a bank."""
    file = dice.pick(program.cuda_files)
    functions, each = dice.pick([(4, 400), (10, 780), (10, 830)])
    calls = []
    for index in range(functions):
        name = program.unique("doubles")
        lines = "".join(" d = d * 1.%05d1%02d7 + 0.%05d3;" % (item + index * 1000, index, item)
                        for item in range(each // 2))
        dice.pick(program.cuda_files).define(
            "__device__ __noinline__ double %s(double d) {%s return d; }" % (name, lines))
        file.declare("__device__ double %s(double d);" % name)
        calls.append("%s(x)" % name)
    name = program.unique("doubles_kernel")
    file.define("__global__ void %s(int *p, int x) { p[0] = (int)(%s); }" % (name, " + ".join(calls)))
    program.kernels.append(name)


def add_aligned_dynamic(program, dice):
    """extern __shared__ arrays whose elements have alignments up to 1024."""
    for file in dice.sample(program.cuda_files, dice.between(1, 3)):
        align = dice.pick([1, 4, 32, 64, 128, 256, 1024])
        name = program.unique("aligned")
        file.declare("struct __align__(%d) %s_type { char bytes[%d]; };" % (align, name, align))
        file.declare("extern __shared__ %s_type %s[];" % (name, name))
        program.offer(Step("%s[x & 3].bytes[0] = x; __syncthreads(); x += %s[x & 1].bytes[0];" % (name, name), file))


def add_driver_names(program, dice):
    """Calls of functions that the driver provides, declared as somebody might, in live and dead code."""
    file = program.add_file("driver", "ptx")
    for name in dice.sample(DRIVER_NAMES, dice.between(1, 4)):
        file.declare(".extern .func (.param .b32 r) %s(.param .b64 a);" % name)
        body = (" { .reg .b64 %%p; .param .b64 a; .param .b32 r; mov.u64 %%p, 0; st.param.b64 [a], %%p; call (r), %s, "
                "(a); ret; }" % name)
        if dice.chance(0.3):
            file.define(".visible .func %s()%s" % (program.unique("dead_caller"), body))
        else:
            file.define(".visible .entry %s()%s" % (kernel(program), body))


FETCHES = {"texref": " tex.1d.v4.f32.f32 {%%f0,%%f1,%%f2,%%f3}, [%s, {%%f0}]; st.global.f32 [%%p0], %%f0;",
           "surfref": " suld.b.1d.b32.trap {%%x1}, [%s, {%%x0}]; st.global.u32 [%%p0], %%x1;"}


def opaque_kernel(program, dice, names):
    """The kind of an image follows from its name; ptxas crashes where two kernels of a file share a name."""
    images = [(name, sorted(FETCHES)[int(name[-1]) % 2]) for name in names]
    used = [FETCHES[kind] % name for name, kind in images if dice.chance(0.8)]
    return (".visible .entry %s(.param .u64 p%s) { .reg .b64 %%p<2>; .reg .b32 %%x<4>; .reg .f32 %%f<4>; "
            "ld.param.u64 %%p0, [p];\n%s\n ret; }"
            % (kernel(program), "".join(", .param .%s %s" % (kind, name) for name, kind in images), "\n".join(used)))


def add_opaque_parameters(program, dice):
    """Kernels whose parameters are textures and surfaces, of one name in several files."""
    for _ in range(dice.between(1, 2)):
        file = program.add_file("opaque", "ptx")
        names = dice.shuffled(["opaque_%d" % number for number in range(6)])
        for _ in range(dice.between(1, 3)):
            file.define(opaque_kernel(program, dice, [names.pop() for _ in range(dice.between(1, 2))]))


LOCAL_KERNEL = """%s.entry %s(%s) { .reg .b64 %%p<2>; .reg .b32 %%x<4>; .shared .align 4 .b8 cells_%d[%d];
  ld.param.u64 %%p0, [p0]; mov.u32 %%x0, cells_%d; mov.u32 %%x1, %%tid.x; st.shared.u32 [%%x0], %%x1; bar.sync 0;
  ld.shared.u32 %%x2, [%%x0+4]; st.global.u32 [%%p0], %%x2; ret; }"""


def add_local_kernels(program, dice):
    """A kernel that other files can see, and local ones of its name."""
    name = program.unique("same_kernel")
    program.kernels.append(name)
    count = dice.between(2, 3)
    visible = dice.below(count + 1)
    for index in range(count):
        parameters = ", ".join(".param .u64 p%d" % number for number in range(dice.between(1, 4)))
        program.add_file("same", "ptx").define(LOCAL_KERNEL % (
            ".visible " if index == visible else "", name, parameters, index, dice.between(2, 50) * 4, index))


def add_many_images(program, dice):
    """Nearly as many surfaces, samplers or textures as a kernel may have, or more."""
    file = program.add_file("images", "ptx")
    kind, count = dice.pick([("surfref", 31), ("surfref", 32), ("surfref", 33), ("texref", 40), ("texref", 256)])
    names = [program.unique("image") for _ in range(count)]
    for name in names:
        file.define(".global .%s %s;" % (kind, name))
    file.define(".visible .entry %s(.param .u64 p) { .reg .b64 %%p<2>; .reg .b32 %%x<4>; .reg .f32 %%f<4>; "
                "ld.param.u64 %%p0, [p];\n%s\n ret; }"
                % (kernel(program), "\n".join(FETCHES[kind] % name for name in names)))
