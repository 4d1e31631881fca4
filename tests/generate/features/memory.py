# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Stack frames, and code that makes the compiler create constants of its own."""

from program import Step


def add_local_arrays(program, dice):
    for _ in range(dice.between(1, 3)):
        count = dice.pick([4, 16, 64, 256])
        name = program.unique("local")
        volatile = dice.pick(["volatile ", ""])
        program.offer(Step("{ %sint %s[%d]; for (int i = 0; i < %d; ++i) %s[i] = x + i; "
                           "x += %s[(x * 5) & %d]; }"
                           % (volatile, name, count, count, name, name, count - 1)))


def add_alloca(program, dice):
    program.offer(Step("{ int *room = (int *)__builtin_alloca(((x & 15) + %d) * 4); room[x & 15] = x; "
                       "room[0] += 2; x += room[x & 15]; }" % dice.between(1, 9)))


def jump_table(dice):
    """A dense switch becomes a table of branch offsets in constant bank 2."""
    operations = ["x += %d * blockIdx.x;", "x ^= %d + threadIdx.y;", "x *= %d; x -= blockIdx.y;",
                  "x = x / (%d + (x & 3));", "x = ~x + %d * threadIdx.z;", "x <<= (%d & 7);",
                  "x = __popc(x) * %d;", "x -= __clz(x) + %d; x *= x;"]
    cases = ["case %d: %s break;" % (index, dice.pick(operations) % dice.between(1, 99))
             for index in range(dice.between(8, 20))]
    return "switch (x & 31) { %s default: break; }" % " ".join(cases)


def add_jump_tables(program, dice):
    for _ in range(dice.between(1, 2)):
        program.offer(Step(jump_table(dice)))


def add_arithmetic(program, dice):
    """Operations the compiler turns into calls of its own helper code or bank 2 constants."""
    steps = ["{ double d = x; x += (int)(1.0 / (d * d + %d.25)); }" % dice.between(1, 99),
             "{ double d = x; x += (int)__builtin_sqrt(d * d + 3.5); }",
             "{ long long w = x; x += (int)(w * w * 1234567891011LL / ((w & 15) + 3)); }",
             "{ float f = x; x += (int)(f / (f * f + 1.5f)); }",
             "{ float f = x; x += (int)__builtin_sqrtf(f * f + %d.0f); }" % dice.between(1, 9),
             "{ double d = x; x += (int)(d * 3.14159265358979 + 2.71828182845904 * d * d); }"]
    for text in dice.sample(steps, dice.between(1, 4)):
        program.offer(Step(text))
