# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Shared memory: of a kernel, of a function, of a file, and sized at launch."""

from program import Step


def add_static(program, dice):
    """Arrays inside functions; a step used twice makes two of them."""
    for _ in range(dice.between(1, 4)):
        name = program.unique("own")
        count = dice.pick([4, 8, 32])
        align = dice.pick(["", "__align__(2) ", "__align__(8) ", "__align__(16) ", "__align__(128) "])
        kind = dice.pick(["char", "short", "int", "double"])
        extra = dice.pick([0, 0, 1, 3, 7])
        program.offer(Step(
            "{ __shared__ %s%s %s[%d]; %s[threadIdx.x & %d] = (%s)x; __syncthreads(); "
            "x += (int)%s[x & %d]; }" % (align, kind, name, count + extra, name, count - 1, kind,
                                         name, count - 1)))


def add_file_scope(program, dice):
    for _ in range(dice.between(1, 3)):
        file = dice.pick(program.cuda_files)
        name = program.unique("stage")
        count = dice.pick([4, 16, 64])
        static = dice.chance(0.3)
        align = dice.pick(["", "", "__align__(16) ", "__align__(64) "])
        file.declare("%s__shared__ %sint %s[%d];" % ("static " if static else "", align, name, count))
        # Shared variables of other files cannot be declared in CUDA C++; PTX files do it.
        program.offer(Step("%s[x & %d] = x; __syncthreads(); x += %s[threadIdx.x & %d];"
                           % (name, count - 1, name, count - 1), file))


def add_dynamic(program, dice):
    """The same launch-sized array under one or two names, types and alignments."""
    for _ in range(dice.between(1, 2)):
        name = program.unique("dynamic")
        kind = dice.pick(["int", "char", "double", "float4"])
        field = ".x" if kind == "float4" else ""
        align = dice.pick(["", "", "__align__(16) ", "__align__(1024) "])
        program.offer(Step("%s[threadIdx.x & 3]%s = x; __syncthreads(); x += (int)%s[x & 3]%s;"
                           % (name, field, name, field), None,
                           ["extern __shared__ %s%s %s[];" % (align, kind, name)],
                           kernel_only=dice.chance(0.5)))
