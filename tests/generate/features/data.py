# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Variables in global and constant memory: every type and alignment, initialised or not, static,
managed, used from other files, and pointers from one to another."""

from program import Step

# Type, how an element is read as int, how x is stored into it (None: read only)
TYPES = [
    ("char", "{}", "(char)x"),
    ("short", "{}", "(short)x"),
    ("int", "{}", "x"),
    ("unsigned", "(int){}", "(unsigned)x"),
    ("long long", "(int){}", "x"),
    ("float", "(int){}", "(float)x"),
    ("double", "(int){}", "(double)x"),
    ("int2", "{}.y", None),
    ("int4", "{}.z", None),
    ("float4", "(int){}.w", None),
    ("double2", "(int){}.x", None),
]
COUNTS = [0, 0, 2, 4, 8, 16, 64]      # 0: not an array; else a power of two
ALIGNMENTS = [0, 0, 0, 1, 2, 4, 8, 16, 32, 64, 128, 256]


class Variable:
    def __init__(self, name, kind, type_name, count, file, static):
        self.name, self.kind, self.type_name, self.count = name, kind, type_name, count
        self.file, self.static = file, static

    def declarator(self):
        return "%s %s%s" % (self.type_name, self.name, "[%d]" % self.count if self.count else "")

    def extern(self):
        return "extern %s %s;" % (self.kind, self.declarator())


def initializer(dice, type_name, count):
    if type_name[-1] in "24" or dice.chance(0.45):
        return ""
    values = [str(dice.between(1, 99)) for _ in range(dice.between(1, max(count, 1)))]
    return " = {%s}" % ", ".join(values) if count else " = " + values[0]


def make_variable(program, dice, kind, stem):
    file = dice.pick(program.cuda_files)
    type_name, read, write = dice.pick(TYPES)
    count = dice.pick(COUNTS)
    static = kind != "__managed__" and dice.chance(0.25)
    variable = Variable(program.unique(stem), kind, type_name, count, file, static)
    natural = {"char": 1, "short": 2, "int": 4, "unsigned": 4, "float": 4}.get(type_name, 8)
    alignment = dice.pick(ALIGNMENTS)
    if type_name in ("int4", "float4", "double2"):
        natural = 16
    align = "__align__(%d) " % alignment if alignment > natural else ""
    volatile = "volatile " if static and type_name != "int" and dice.chance(0.3) else ""
    file.declare("%s%s %s%s%s%s;" % ("static " if static else "", kind, align, volatile,
                                     variable.declarator(), initializer(dice, type_name, count)))
    if volatile:
        read = None if type_name[-1] in "24" else read
    element = variable.name + ("[x & %d]" % (count - 1) if count else "")
    home = file if static else None
    declares = [] if static else [variable.extern()]
    if read:
        program.offer(Step("x += %s;" % read.format(element), home, declares))
        if count:
            fixed = "%s[%d]" % (variable.name, dice.below(count))
            program.offer(Step("x ^= %s;" % read.format(fixed), home, declares))
    if write and kind != "__constant__":
        program.offer(Step("%s = %s;" % (element, write), home, declares))
    return variable


def add_globals(program, dice):
    variables = [make_variable(program, dice, "__device__", "global")
                 for _ in range(dice.between(1, 6))]
    add_pointers(program, dice, variables)


def add_constants(program, dice):
    variables = [make_variable(program, dice, "__constant__", "constant")
                 for _ in range(dice.between(1, 6))]
    add_pointers(program, dice, variables)


def add_managed(program, dice):
    for _ in range(dice.between(1, 3)):
        make_variable(program, dice, "__managed__", "managed")


def add_pointers(program, dice, variables):
    """Variables that hold addresses of others, also of other files and of themselves."""
    targets = [variable for variable in variables if variable.type_name == "int"]
    if not targets or dice.chance(0.4):
        return
    for _ in range(dice.between(1, 3)):
        target = dice.pick(targets)
        file = target.file if target.static else dice.pick(program.cuda_files)
        kind = dice.pick(["__device__", "__device__", "__constant__"])
        name = program.unique("pointer")
        if not target.static:
            file.declare(target.extern())
        address = "&" + target.name
        if target.count:
            address = "&%s[%d]" % (target.name, dice.below(target.count))
        const = "const " if target.kind == "__constant__" else ""
        file.declare("%s %sint *%s[2] = {%s, %s};"
                     % (kind, const, name, address, dice.pick([address, "nullptr"])))
        program.offer(Step("x += *%s[0];" % name, None,
                           ["extern %s %sint *%s[2];" % (kind, const, name)]))
