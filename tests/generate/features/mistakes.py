# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs that compile but must not link."""

from program import Step


def add_multiple_definition(program, dice):
    name = program.unique("twice")
    for file in program.cuda_files[:2]:
        file.define("__device__ int %s(int x) { return x; }" % name)
    program.failure = "multiple definition of a function"


def add_undefined(program, dice):
    name = program.unique("nowhere")
    what = dice.pick(["function", "variable"])
    file = program.cuda_files[0]
    kernel = program.unique("needy_kernel")
    if what == "function":
        file.declare("__device__ int %s(int x);" % name)
        file.define("__global__ void %s(int *p, int x) { p[0] = %s(x); }" % (kernel, name))
    else:
        file.declare("extern __device__ int %s;" % name)
        file.define("__global__ void %s(int *p, int x) { p[0] = %s; }" % (kernel, name))
    program.kernels.append(kernel)
    program.failure = "undefined " + what


def add_prototype_mismatch(program, dice):
    name = program.unique("mismatched")
    program.cuda_files[1].define('extern "C" __device__ __noinline__ int %s(int x, long long y) '
                                 '{ return x + (int)y; }' % name)
    program.cuda_files[0].declare('extern "C" __device__ int %s(int x);' % name)
    kernel = program.unique("mismatch_kernel")
    program.cuda_files[0].define("__global__ void %s(int *p, int x) { p[0] = %s(x); }" % (kernel, name))
    program.kernels.append(kernel)
    program.failure = "prototypes differ"


def add_large_constants(program, dice):
    for file in program.cuda_files[:2]:
        name = program.unique("large")
        file.declare("__constant__ char %s[40000] = {1};" % name)
        program.offer(Step("x += %s[x & 1023];" % name, file))
    program.failure = "constants do not fit into their bank"


MISTAKES = [add_multiple_definition, add_undefined, add_prototype_mismatch, add_large_constants]


def add_mistake(program, dice):
    dice.pick(MISTAKES)(program, dice)
