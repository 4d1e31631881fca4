# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Weak symbols of C++: template instances and inline functions present in several files, with equal
and with differing bodies."""

from program import LEVEL_TEMPLATE, Step


def add_functions(program, dice):
    """One template, instantiated for several types wherever a body draws it."""
    for _ in range(dice.between(1, 2)):
        name = program.unique("generic")
        inner = dice.pick([
            "return value * T(%d) + T(1);" % dice.between(2, 9),
            "__shared__ T room[8]; room[threadIdx.x & 7] = value; __syncthreads(); "
            "return room[(threadIdx.x + 1) & 7];",
            "T row[12]; for (int i = 0; i < 12; ++i) row[i] = value + T(i); "
            "return row[(int)value & 7];",
            "static __device__ T last = T(3); last += value; return last;"])
        declare = ("template <class T> __device__ __noinline__ T %s(T value) { %s }" % (name, inner))
        for kind in dice.sample(["int", "float", "double", "long long"], dice.between(1, 3)):
            program.offer(Step("x += (int)%s<%s>((%s)x);" % (name, kind, kind), None, [declare],
                               LEVEL_TEMPLATE + 1))
    if dice.chance(0.4):
        outer = program.unique("outer")
        program.offer(Step("x += %s<%d>(x);" % (outer, dice.between(1, 5)), None,
                           [declare, "template <int N> __device__ __noinline__ int %s(int value) { "
                            "return %s<int>(value) * N; }" % (outer, name)], LEVEL_TEMPLATE))


def add_variables(program, dice):
    name = program.unique("setting")
    kind = dice.pick(["int", "double", "short"])
    space = dice.pick(["__device__", "__constant__"])
    declare = "template <class T> %s T %s[2] = {T(%d), T(7)};" % (space, name, dice.between(1, 9))
    program.offer(Step("x += (int)%s<%s>[x & 1];" % (name, kind), None, [declare]))


def add_differing(program, dice):
    """Inline functions whose files disagree about size, frame and registers: which one wins shows."""
    name = program.unique("inline_one")
    bodies = ["return value + 1;",
              "return value * 3 - (value >> 2) + value / 7;",
              "volatile int row[24]; for (int i = 0; i < 24; ++i) row[i] = value * i; "
              "return row[value & 15];",
              "double d = value; return (int)(d / (d * d + 2.5));",
              "__shared__ int room[16]; room[threadIdx.x & 15] = value; __syncthreads(); "
              "return room[value & 15];"]
    for file in dice.sample(program.cuda_files, dice.between(2, 4)):
        declare = "inline __device__ __noinline__ int %s(int value) { %s }" % (name, dice.pick(bodies))
        program.offer(Step("x += %s(x);" % name, file, [declare], LEVEL_TEMPLATE))
