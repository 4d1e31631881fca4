# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions calling functions across files (chains, diamonds, anything), recursion, dead code, and
the kernels, which draw from all that the other features offer."""

from program import LEVEL_CALLS, LEVEL_KERNEL, Step

# Parameters, result, how the body starts, how it ends, the call as a step
PROTOTYPES = [
    ("int x", "int", "", "return x;", "x += {}(x);", False),
    ("int x, int y", "int", "  x ^= y;", "return x + y;", "x += {}(x, x + 1);", False),
    ("float f", "float", "  int x = (int)f;", "return f + x;", "x += (int){}((float)x);", False),
    ("double d, int x", "double", "", "return d * x;", "x += (int){}(x * 0.5, x);", False),
    ("long long w", "long long", "  int x = (int)w;", "return w + x;", "x += (int){}(x);", False),
    ("int *p", "void", "  int x = *p;", "*p = x;", "{}(p);", True),
    ("int *p, int x", "int", "", "*p += x; return x;", "x += {}(p, x);", True),
    ("int4 v", "int4", "  int x = v.x + v.y;", "v.z += x; return v;", "x += {}(int4{{x, 1, 2, 3}}).z;",
     False),
    ("int &r", "void", "  int x = r;", "r = x + 1;", "{}(x);", False),
    ("Parcel b", "int", "  int x = b.items[b.items[3] & 7];", "return x;",
     "{{ Parcel b = {{{{x, 2, 3, 1}}}}; x += {}(b); }}", False),
]
PARCEL = "struct Parcel { int items[12]; };"


def define_function(program, dice, level, drawn, stem="step", offered=True, force=()):
    """Adds one function of that level to some file and offers calls of it."""
    file = dice.pick(program.cuda_files)
    name = program.unique(stem)
    parameters, result, start, end, call, pointer = dice.pick(PROTOTYPES)
    static = offered and dice.chance(0.15)
    linkage = 'extern "C" ' if not static and dice.chance(0.2) else ""
    if "Parcel" in parameters:
        file.declare(PARCEL)
    lines = program.statements(file, dice, level, drawn, has_pointer=pointer)
    for step in force:
        for text in step.declares:
            file.declare(text)
        lines.append("  " + step.text)
    if dice.chance(0.25):
        lines = ["  for (int i = 0; i < (x & 3); ++i) {"] + lines + ["  }"]
    noinline = "__noinline__ " if static or dice.chance(0.85) else ""
    head = "%s%s__device__ %s" % (linkage, "static " if static else "", noinline)
    file.define("%s%s %s(%s) {\n%s\n%s\n  %s\n}"
                % (head, result, name, parameters, start, "\n".join(lines), end))
    declare = "%s%s__device__ %s %s(%s);" % (linkage, "static " if static else "", result, name,
                                             parameters)
    declares = ([PARCEL] if "Parcel" in parameters else []) + [declare]
    step = Step(call.format(name), file if static else None, declares, level,
                needs_pointer=pointer)
    if offered:
        program.offer(step)
    return step


def add_calls(program, dice):
    count = dice.between(1, 4 + 2 * len(program.cuda_files) if len(program.cuda_files) < 8 else 24)
    shape = dice.pick(["chain", "diamond", "random", "random"])
    last, row = None, []
    for level in range(count - 1, -1, -1):
        force = []
        if shape == "chain" and last and not last.needs_pointer and not last.file:
            force = [last]
        if shape == "diamond":
            force = [step for step in row if not step.needs_pointer and not step.file]
        last = define_function(program, dice, LEVEL_CALLS + level, dice.between(0, 4), force=force)
        row = (row + [last])[-2:]


def add_recursion(program, dice):
    for _ in range(dice.between(1, 2)):
        file = dice.pick(program.cuda_files)
        name = program.unique("recursive")
        lines = "\n".join(program.statements(file, dice, 400, dice.between(0, 2)))
        file.define("__device__ __noinline__ int %s(int x) {\n  if (x <= 0) return 1;\n"
                    "  int rest = %s((x & 7) - 1);\n%s\n  return rest + x;\n}" % (name, name, lines))
        program.offer(Step("x += %s(x);" % name, None, ["__device__ int %s(int x);" % name], 400))


def add_mutual_recursion(program, dice):
    """A ring of two to four functions, usually in different files."""
    names = [program.unique("ring") for _ in range(dice.between(2, 4))]
    for index, name in enumerate(names):
        follower = names[(index + 1) % len(names)]
        file = dice.pick(program.cuda_files)
        file.declare("__device__ int %s(int x);" % follower)
        lines = "\n".join(program.statements(file, dice, 410, dice.between(0, 2)))
        file.define("__device__ __noinline__ int %s(int x) {\n  if (x <= 0) return %d;\n"
                    "  int rest = %s((x & 7) - 1);\n%s\n  return rest + x;\n}"
                    % (name, index, follower, lines))
    program.offer(Step("x += %s(x);" % names[0], None, ["__device__ int %s(int x);" % names[0]], 410))


def add_dead_code(program, dice):
    """Functions nobody calls; they may call each other and live ones."""
    last = None
    for _ in range(dice.between(1, 4)):
        force = [last] if last and not last.needs_pointer and dice.chance(0.5) else []
        last = define_function(program, dice, LEVEL_CALLS, dice.between(0, 3), "dead", False, force)


KERNEL_PARAMETERS = ["int *p, int x", "int *p, int x", "int *p, int x, double unused",
                     "int *p, int x, Parcel b", "const int *in, int *p, int x, char c, long long w",
                     "int *p, int x, int4 v, short s"]


def add_kernels(program, dice):
    for _ in range(dice.between(1, min(6, 1 + len(program.cuda_files)))):
        file = dice.pick(program.cuda_files)
        name = program.unique("kernel")
        parameters = dice.pick(KERNEL_PARAMETERS)
        if "Parcel" in parameters:
            file.declare(PARCEL)
        bounds = dice.pick(["", "", "", "__launch_bounds__(128) ", "__launch_bounds__(256, 2) ",
                            "__maxnreg__(128) ", "__launch_bounds__(512, 1) "])
        linkage = dice.pick(["", "", 'extern "C" '])
        lines = program.statements(file, dice, LEVEL_KERNEL, dice.between(1, 7), True, True)
        file.define("%s__global__ void %s%s(%s) {\n%s\n  p[threadIdx.x] = x;\n}"
                    % (linkage, bounds, name, parameters, "\n".join(lines)))
        program.kernels.append(name)
    if dice.chance(0.1):
        name = program.unique("empty_kernel")
        dice.pick(program.cuda_files).define("__global__ void %s() {}" % name)
        program.kernels.append(name)
