# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""PTX as people and other compilers write it: calls through prototypes, branch tables, variables
inside functions, weak kernels and weak names that nobody defines, attributes and large alignments."""

from features.assembly import CALL, PROTOTYPE, function, kernel, offer_call
from program import Step

ENTRY = (".visible .entry %s(.param .u64 p) { .reg .b64 %%p<9>; .reg .b32 %%x<9>; .reg .pred %%q; .param .b32 a; "
         ".param .b32 r; ld.param.u64 %%p0, [p]; ld.global.u32 %%x1, [%%p0];\n%s\n st.global.u32 [%%p0], %%x1; ret; }")


def entry(program, lines):
    return ENTRY % (kernel(program), lines)


def add_prototypes(program, dice):
    """Indirect calls with .callprototype and .calltargets, through registers and tables."""
    file, other = program.add_file("indirect", "ptx"), program.add_file("indirect", "ptx")
    names = [program.unique("proto_target") for _ in range(dice.between(2, 3))]
    for index, name in enumerate(names):
        home = file if index == 0 or dice.chance(0.5) else other
        home.define(function(dice, name, dice.pick([".visible", ".visible", ".weak"])))
        if home is other:
            file.declare(PROTOTYPE % ("extern", name))
    table = program.unique("proto_table")
    lines = [" proto: .callprototype (.param .b32 _) _ (.param .b32 _);"]
    if dice.chance(0.5):
        space = dice.pick([".global", ".const"])
        file.define(".visible %s .align 8 .u64 %s[%d] = {%s};" % (space, table, len(names), ", ".join(names)))
        lines.append(" and.b32 %%x2, %%x1, 1; mul.wide.u32 %%p1, %%x2, 8; mov.u64 %%p2, %s; add.u64 %%p2, %%p2, %%p1; "
                     "ld%s.u64 %%p3, [%%p2];" % (table, space))
    else:
        lines.append(" setp.ne.b32 %%q, %%x1, 3; mov.u64 %%p4, %s; mov.u64 %%p5, %s; selp.b64 %%p3, %%p4, %%p5, %%q;"
                     % (names[0], names[1]))
    lines.append(" st.param.b32 [a], %x1; call (r), %p3, (a), proto; ld.param.b32 %x1, [r];")
    file.define(entry(program, "\n".join(lines)))
    if dice.chance(0.4):
        file.define(entry(program, "\n".join(
            [" list: .calltargets %s;" % ", ".join(names), " mov.u64 %%p3, %s;" % names[-1],
             " st.param.b32 [a], %x1; call (r), %p3, (a), list; ld.param.b32 %x1, [r];"])))


BRANCHES = """ and.b32 %x2, %x1, 3;
 ways: .branchtargets w0, w1, w2, w3;
 brx.idx %x2, ways;
 w0: add.u32 %x1, %x1, 1; bra done;
 w1: mul.lo.u32 %x1, %x1, NUMBER; bra done;
 w2: xor.b32 %x1, %x1, 77; bra done;
 w3: shl.b32 %x1, %x1, 2;
 done:"""


def add_branches(program, dice):
    """brx.idx in kernels, functions and weak functions of several files."""
    files = [program.add_file("branches", "ptx") for _ in range(dice.between(1, 3))]
    weak = program.unique("weak_branches")
    for file in files:
        lines = BRANCHES.replace("NUMBER", str(dice.between(2, 99)))
        text = function(dice, weak, ".weak", lines)
        file.define(text.replace(".reg .b32 %x<4>;", ".reg .b32 %x<4>; .reg .pred %q;"))
        if dice.chance(0.5):
            file.define(entry(program, lines + "\n" + CALL % weak))
        if dice.chance(0.4):
            own = program.unique("own_branches")
            file.define(function(dice, own, dice.pick(["", ".visible"]), lines))
            file.define(entry(program, CALL % own))
    offer_call(program, weak)


def add_inner_variables(program, dice):
    """Variables declared inside functions and inside assembly, some with one name in two functions."""
    file = program.add_file("inner", "ptx")
    for _ in range(dice.between(1, 3)):
        name = program.unique("inner_function")
        space = dice.pick([".global", ".const", ".shared"])
        value = "" if space == ".shared" else dice.pick(["", " = {%d, 5}" % dice.between(1, 99)])
        lines = ("  { %s .align %d .u32 kept[%d]%s; ld%s.u32 %%x2, [kept+4]; add.u32 %%x1, %%x1, %%x2; }"
                 % (space, dice.pick([4, 8, 64]), dice.between(2, 9), value, space))
        file.define(function(dice, name, dice.pick([".visible", ".weak"]), lines))
        offer_call(program, name)
    if dice.chance(0.6):
        cuda = dice.pick(program.cuda_files)
        name = program.unique("asm_data")
        space = dice.pick(["global", "const", "shared"])
        text = ('asm volatile("{ .%s .align 8 .b8 %s[%d]; .reg .u64 at; mov.u64 at, %s; cvt.u32.u64 %%0, at; }" : "=r"(x));'
                % (space, name, dice.pick([8, 24, 100]), name))
        wrapper = program.unique("asm_user")
        cuda.define("__device__ __noinline__ int %s(int x) { int y = x; %s return x + y; }" % (wrapper, text))
        program.offer(Step("x += %s(x);" % wrapper, None, ["__device__ int %s(int x);" % wrapper]))


def add_weak_entries(program, dice):
    """Weak kernels of several files, other bodies, and the strong one that may stand among them."""
    files = [program.add_file("entries", "ptx") for _ in range(dice.between(2, 3))]
    name = program.unique("weak_entry")
    program.kernels.append(name)
    strong = dice.below(len(files)) if dice.chance(0.4) else -1
    for index, file in enumerate(files):
        lines = dice.pick(["add.u32 %x1, %x1, 5;", "mul.lo.u32 %x1, %x1, %x1; bar.sync 1;",
                           "{ .shared .align 16 .b8 pad[%d]; st.shared.u32 [pad], %%x1; bar.sync 0; ld.shared.u32 %%x1, [pad+8]; }"
                           % dice.pick([16, 64]),
                           "{ .local .align 8 .b8 pad[64]; st.local.u32 [pad+4], %x1; ld.local.u32 %x1, [pad]; }"])
        parameters = ".param .u64 p" + (", .param .u32 more" if dice.chance(0.08) else "")
        file.define("%s .entry %s(%s) { .reg .b64 %%p0; .reg .b32 %%x<5>; ld.param.u64 %%p0, [p]; ld.global.u32 %%x1, [%%p0]; %s "
                    "st.global.u32 [%%p0], %%x1; ret; }"
                    % (".visible" if index == strong else ".weak", name, parameters, lines))


def add_unusual_data(program, dice):
    """Managed and very aligned variables, tables of bytes of addresses, arrays without a size."""
    file, user = program.add_file("unusual", "ptx"), program.add_file("unusual", "ptx")
    lines = []
    for _ in range(dice.between(1, 4)):
        name = program.unique("unusual_data")
        form = dice.pick([
            (".visible .global .align 1024 .b8 %s[40];", ".extern .global .align 1024 .b8 %s[];", "global"),
            (".visible .global .attribute(.managed) .align 8 .b8 %s[24] = {1, 2};",
             ".extern .global .attribute(.managed) .align 8 .b8 %s[24];", "global"),
            (".visible .const .align 256 .b8 %s[9] = {1};", ".extern .const .align 256 .b8 %s[];", "const"),
            (".visible .global .align 16 .f64 %s[3] = {1.5, 0d4000000000000000, 3.0};",
             ".extern .global .align 16 .f64 %s[3];", "global"),
            (".visible .global .align 2 .u16 %s[5] = {1, 65535, 3};", ".extern .global .align 2 .u16 %s[5];", "global"),
            (".weak .const .align 4 .u32 %s[4] = {5, 6};", ".extern .const .align 4 .u32 %s[4];", "const"),
            (".weak .global .align 4 .u32 %s[4];", ".extern .global .align 4 .u32 %s[4];", "global"),
            (".visible .shared .align 512 .b8 %s[20];", ".extern .shared .align 512 .b8 %s[];", "shared"),
            (".weak .shared .align 8 .b8 %s[20];", ".weak .shared .align 8 .b8 %s[20];", "shared"),
        ])
        file.define(form[0] % name)
        if form[0] != form[1] or dice.chance(0.5):
            user.declare(form[1] % name)
            lines.append(" ld.%s.u16 %%h, [%s+2]; cvt.u32.u16 %%x2, %%h; add.u32 %%x1, %%x1, %%x2;" % (form[2], name))
    user.define(entry(program, " .reg .u16 %h;\n" + "\n".join(lines)))
    if dice.chance(0.5):
        file.define(entry(program, " add.u32 %x1, %x1, 3;"))


def add_alias_chains(program, dice):
    """Aliases, weak and strong, of functions that other files call under both names, in two files."""
    file = program.add_file("aliases", "ptx")
    real = program.unique("aliased")
    names = [program.unique("alias_name") for _ in range(dice.between(1, 3))]
    file.define(function(dice, real, ".visible"))
    for name in names:
        file.declare(PROTOTYPE % (dice.pick(["visible", "weak"]), name))
        file.define(".alias %s, %s;" % (name, real))
    file.define(entry(program, "\n".join(CALL % name for name in names + [real])))
    for name in names:
        offer_call(program, name)
    if dice.chance(0.5):
        user = program.add_file("aliases", "ptx")
        user.declare(PROTOTYPE % ("extern", names[0]))
        user.define(".visible .global .align 8 .u64 %s[2] = {%s, 0};" % (program.unique("alias_table"), names[0]))
        user.define(entry(program, CALL % names[0]))
