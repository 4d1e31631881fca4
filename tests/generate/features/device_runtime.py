# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels that launch kernels, through the entry points of the device runtime library that the
compiler calls for `child<<<...>>>(...)`."""

from program import LEVEL_KERNEL, Step

API = """extern "C" __device__ void *__cudaCDP2GetParameterBufferV2(void *kernel, dim3 grid, dim3 block, unsigned shared);
extern "C" __device__ int __cudaCDP2LaunchDeviceV2(void *buffer, void *stream);"""


def add_launches(program, dice):
    program.device_runtime = True
    child_home = dice.pick(program.cuda_files)
    child = program.unique("child_kernel")
    lines = "\n".join(program.statements(child_home, dice, LEVEL_KERNEL, dice.between(0, 3), True, True))
    child_home.define("__global__ void %s(int *p, int x) {\n%s\n  p[0] = x;\n}" % (child, lines))
    program.kernels.append(child)
    home = dice.pick(program.cuda_files)
    launcher = program.unique("launch")
    home.declare(API)
    home.declare("__global__ void %s(int *p, int x);" % child)
    home.define("struct Arguments_%s { int *p; int x; };\n"
                "__device__ __noinline__ int %s(int *p, int x) {\n"
                "  void *buffer = __cudaCDP2GetParameterBufferV2((void *)&%s, dim3{1, 1, 1}, "
                "dim3{32, 1, 1}, %d);\n  if (!buffer) return -1;\n"
                "  *(Arguments_%s *)buffer = {p, x};\n"
                "  return __cudaCDP2LaunchDeviceV2(buffer, nullptr);\n}"
                % (launcher, launcher, child, dice.pick([0, 0, 64]), launcher))
    program.offer(Step("if (threadIdx.x == 0) x += %s(p, x);" % launcher, None,
                       ["__device__ int %s(int *p, int x);" % launcher], 300, needs_pointer=True,
                       kernel_only=True))
    parent_home = dice.pick(program.cuda_files)
    parent_home.declare("__device__ int %s(int *p, int x);" % launcher)
    parent = program.unique("parent_kernel")
    parent_home.define("__global__ void %s(int *p, int x) { if (threadIdx.x == 0) p[0] = %s(p, x); }"
                       % (parent, launcher))
    program.kernels.append(parent)
