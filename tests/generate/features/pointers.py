# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Indirect calls: tables of function pointers, pointers as arguments, virtual functions."""

from program import LEVEL_INDIRECT, Step


def define_targets(program, dice, count):
    """Functions int(int) in any file; returns (declaration or None, name, file) of each."""
    targets = []
    for _ in range(count):
        file = dice.pick(program.cuda_files)
        name = program.unique("target")
        static = "static " if dice.chance(0.3) else ""
        body = "\n".join(program.statements(file, dice, LEVEL_INDIRECT + 9, dice.between(0, 3)))
        file.define("%s__device__ __noinline__ int %s(int x) {\n%s\n  return x * %d;\n}"
                    % (static, name, body, dice.between(2, 9)))
        declare = "%s__device__ int %s(int x);" % (static, name)
        targets.append((declare, name, file, bool(static)))
    return targets


def usable_in(targets, file):
    return [target for target in targets if not target[3] or target[2] is file]


def add_tables(program, dice):
    targets = define_targets(program, dice, dice.between(2, 4))
    for _ in range(dice.between(1, 2)):
        file = dice.pick(program.cuda_files)
        entries = [dice.pick(usable_in(targets, file) or [None]) for _ in range(4)]
        if entries[0] is None:
            continue
        for entry in entries:
            file.declare(entry[0])
        space = dice.pick(["__device__", "__constant__"])
        name = program.unique("table")
        file.declare("%s int (*%s[4])(int) = {%s};"
                     % (space, name, ", ".join(entry[1] for entry in entries)))
        program.offer(Step("x += %s[x & 3](x);" % name, None,
                           ["extern %s int (*%s[4])(int);" % (space, name)], LEVEL_INDIRECT))


def add_arguments(program, dice):
    """The address of a function in code, handed to one that calls it."""
    targets = define_targets(program, dice, 2)
    file = dice.pick(program.cuda_files)
    name = program.unique("apply")
    file.define("__device__ __noinline__ int %s(int (*function)(int), int x) { return function(x) + "
                "function(x + 1); }" % name)
    declare = "__device__ int %s(int (*function)(int), int x);" % name
    for target_declare, target, home, static in targets:
        program.offer(Step("x += %s(%s, x);" % (name, target), home if static else None,
                           [declare, target_declare], LEVEL_INDIRECT))
    if dice.chance(0.4):
        program.offer(Step("{ auto chosen = (x & 1) ? %s : %s; x += chosen(x); }"
                           % (targets[0][1], targets[1][1]),
                           targets[0][2] if targets[0][3] or targets[1][3] else None,
                           [targets[0][0], targets[1][0]], LEVEL_INDIRECT)
                      if targets[0][2] is targets[1][2] or not (targets[0][3] or targets[1][3])
                      else Step("x += 1;"))


def add_virtual(program, dice):
    """A hierarchy: some methods inline (weak), some in one file; objects made in another file."""
    base, derived = program.unique("Shape"), program.unique("Form")
    home, maker_home = dice.pick(program.cuda_files), dice.pick(program.cuda_files)
    inline_method = dice.chance(0.5)
    first = ("{ return x * size + %d; }" % dice.between(1, 9)) if inline_method else ";"
    declare = ("struct %(b)s { int size; __device__ virtual int area(int x)%(first)s "
               "__device__ virtual int corners() { return %(n)d; } };\n"
               "struct %(d)s : %(b)s { int more; __device__ int area(int x) override; %(extra)s };"
               % {"b": base, "d": derived, "first": first, "n": dice.between(0, 9),
                  "extra": dice.pick(["", "__device__ int corners() override { return more; }"])})
    for file in (home, maker_home):
        file.declare(declare)
    if not inline_method:
        home.define("__device__ int %s::area(int x) { return x + size; }" % base)
    body = "\n".join(program.statements(home, dice, LEVEL_INDIRECT + 9, dice.between(0, 3)))
    home.define("__device__ int %s::area(int x) {\n%s\n  return x - more;\n}" % (derived, body))
    make = program.unique("make_shape")
    maker_home.define("__device__ __noinline__ %(b)s *%(make)s(void *at, int x) {\n"
                      "  if (x & 1) return new (at) %(b)s;\n  return new (at) %(d)s;\n}"
                      % {"b": base, "d": derived, "make": make})
    program.offer(Step("{ long long at[4] = {}; %s *shape = %s(at, x); x += shape->area(x) + "
                       "shape->corners(); }" % (base, make), None,
                       [declare, "__device__ %s *%s(void *at, int x);" % (base, make)],
                       LEVEL_INDIRECT))
