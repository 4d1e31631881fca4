# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Files written in PTX: linkage that CUDA C++ cannot express, data without code, nothing at all."""

from program import Step

FUNCTION = """%(linkage)s .func (.param .b32 result) %(name)s(.param .b32 input)
{
  .reg .b32 %%x<4>; .param .b32 a; .param .b32 r;
  ld.param.b32 %%x1, [input];
%(lines)s
  mad.lo.u32 %%x1, %%x1, %(factor)d, 1;
  st.param.b32 [result], %%x1;
  ret;
}"""
CALL = "  st.param.b32 [a], %%x1; call (r), %s, (a); ld.param.b32 %%x1, [r];"
PROTOTYPE = ".%s .func (.param .b32 result) %s(.param .b32 input);"


def function(dice, name, linkage, lines=""):
    return FUNCTION % {"name": name, "linkage": linkage, "lines": lines, "factor": dice.between(2, 9)}


def offer_call(program, name, level=900):
    program.offer(Step("x += %s(x);" % name, None,
                       ['extern "C" __device__ int %s(int x);' % name], level))


def add_weak(program, dice):
    """The same names weak, strong and differing in several files."""
    files = [program.add_file("weak", "ptx") for _ in range(dice.between(2, 3))]
    name, data, table = (program.unique("weak_" + kind) for kind in ("function", "data", "table"))
    strong = dice.below(len(files) + 1)
    for index, file in enumerate(files):
        linkage = ".visible" if index == strong and dice.chance(0.7) else ".weak"
        lines = dice.pick(["", "  add.u32 %%x1, %%x1, %d;" % dice.between(2, 99),
                           "  mul.lo.u32 %x2, %x1, %x1; xor.b32 %x1, %x2, 5;"])
        file.define(function(dice, name, linkage, lines))
        file.define(".weak .global .align 8 .b8 %s[24]%s;" % (data, dice.pick(["", " = {1, 2, 3}"])))
        if dice.chance(0.5):
            file.define(".weak .const .align 4 .u32 %s[2] = {%d, 7};" % (table, index))
            file.define(".visible .entry %s(.param .u64 p) { .reg .b64 %%p; .reg .b32 %%x; ld.param.u64 "
                        "%%p, [p]; ld.const.u32 %%x, [%s+4]; st.global.u32 [%%p], %%x; ret; }"
                        % (kernel(program), table))
    offer_call(program, name)
    program.offer(Step("x += %s[x & 7];" % data, None,
                       ['extern "C" { extern __device__ char %s[24]; }' % data]))


def kernel(program):
    name = program.unique("ptx_kernel")
    program.kernels.append(name)
    return name


def add_common(program, dice):
    names = [program.unique("common") for _ in range(dice.between(1, 4))]
    for file in [program.add_file("common", "ptx") for _ in range(dice.between(2, 3))]:
        body = ""
        for name in dice.sample(names, dice.between(1, len(names))):
            file.define(".common .global .align %d .b8 %s[%d];"
                        % (dice.pick([1, 2, 4, 8, 16]), name, dice.pick([4, 8, 12, 16, 40])))
            body += "mov.u64 %%q, %s; st.global.u64 [%%p], %%q; " % name
        file.define(".visible .entry %s(.param .u64 p) { .reg .b64 %%p; .reg .b64 %%q; "
                    "ld.param.u64 %%p, [p]; %sret; }" % (kernel(program), body))


def add_alias(program, dice):
    file = program.add_file("alias", "ptx")
    real, other = program.unique("real"), program.unique("other_name")
    file.declare(PROTOTYPE % ("visible", other))
    file.define(function(dice, real, ".visible"))
    file.define(".alias %s, %s;" % (other, real))
    # nvlink refuses an alias that nothing calls while the function itself is called.
    file.define(".visible .entry %s(.param .u64 p) { .reg .b64 %%p; .reg .b32 %%x1; .param .b32 a; "
                ".param .b32 r; ld.param.u64 %%p, [p]; ld.global.u32 %%x1, [%%p]; %s "
                "st.global.u32 [%%p], %%x1; ret; }" % (kernel(program), CALL.strip() % other))
    offer_call(program, other)
    if dice.chance(0.5):
        offer_call(program, real)


def add_extern(program, dice):
    """PTX that calls into the CUDA files, and addresses of their functions and variables as data."""
    home = dice.pick(program.cuda_files)
    called, variable = program.unique("called_from_ptx"), program.unique("seen_from_ptx")
    home.define('extern "C" __device__ __noinline__ int %s(int x) { return x * %d; }'
                % (called, dice.between(2, 9)))
    home.declare('extern "C" { __device__ int %s[8] = {1, 2}; }' % variable)
    file = program.add_file("extern", "ptx")
    file.declare(PROTOTYPE % ("extern", called))
    file.declare(".extern .global .align 4 .b8 %s[32];" % variable)
    name = program.unique("ptx_function")
    file.define(function(dice, name, ".visible", CALL % called))
    offer_call(program, name, 800)
    address = program.unique("address")
    forms = [".visible .global .align 8 .u64 %s[2] = {%s, generic(%s)};" % (address, variable, variable),
             ".visible .global .align 8 .u64 %s[2] = {%s+8, %s};" % (address, variable, called),
             ".visible .global .u8 %s[4] = {0xff(%s), 0xff00(%s), 0xff0000(%s), 0xff000000(%s)};"
             % ((address,) + (variable,) * 4),
             ".visible .const .align 8 .u64 %s[3] = {%s, generic(%s)+4, 0};" % (address, called, variable)]
    file.define(dice.pick(forms))
    if dice.chance(0.5):
        shared = program.unique("ptx_shared")
        owner = program.add_file("shared", "ptx")
        owner.define(".visible .shared .align 8 .b8 %s[%d];" % (shared, dice.pick([8, 40, 256])))
        for user in (file, owner):
            if user is file:
                user.declare(".extern .shared .align 8 .b8 %s[];" % shared)
            user.define(".visible .entry %s(.param .u64 p) { .reg .b64 %%p; .reg .b32 %%x; ld.param.u64 "
                        "%%p, [p]; ld.shared.u32 %%x, [%s+4]; st.global.u32 [%%p], %%x; ret; }"
                        % (kernel(program), shared))


def add_data_only(program, dice):
    file = program.add_file("data", "ptx")
    space = dice.pick([".global", ".const"])
    name = program.unique("plain_data")
    file.define(".visible %s .align %d .b8 %s[%d]%s;"
                % (space, dice.pick([1, 4, 16, 128]), name, dice.pick([1, 7, 64, 300]),
                   dice.pick(["", " = {9}"])))
    if dice.chance(0.5):
        # Two variables pointing at each other: possible only across files.
        other = program.add_file("data", "ptx")
        names = [program.unique("partner"), program.unique("partner")]
        for here, name, partner in ((file, names[0], names[1]), (other, names[1], names[0])):
            here.declare(".extern .global .align 8 .b8 %s[16];" % partner)
            here.define(".visible .global .align 8 .u64 %s[2] = {%s, %s+8};" % (name, partner, partner))


def add_empty(program, dice):
    program.add_file("empty", "ptx")
    if dice.chance(0.3):
        program.add_file("empty", "cuda").define("// no code")


# Directives of kernels, by the first target that has them.
DIRECTIVES = [".reqntid 32, 2, 1", ".reqntid 256", ".maxntid 256, 1, 1 .minnctapersm 2", ".maxnreg 40"]
CLUSTER_DIRECTIVES = [".explicitcluster", ".explicitcluster .maxclusterrank 8",
                      ".reqnctapercluster 2, 2, 1 .reqntid 64"]
PARAMETERS = [".param .u64 p", ".param .u64 .ptr .global .align 16 p, .param .u16 h, .param .f64 g",
              ".param .u64 p, .param .align 16 .b8 block[%d]"]


def add_directives(program, dice):
    """Kernels with launch directives and unusual parameters, a function that never returns."""
    plain, clusters = program.add_file("directives", "ptx"), program.add_file("directives", "ptx")
    clusters.declarations = [".version 8.0\n.target sm_90\n.address_size 64\n"]
    clusters.min_target = 90
    for file, choices in ((plain, DIRECTIVES), (clusters, CLUSTER_DIRECTIVES)):
        for directive in dice.sample(choices, dice.between(1, 2)):
            parameters = dice.pick(PARAMETERS)
            if "%d" in parameters:
                parameters %= dice.pick([4, 100, 2048, 4000])
            file.define(".visible .entry %s(%s) %s { .local .align 16 .b8 room[%d]; .reg .b64 %%p<3>; "
                        "ld.param.u64 %%p0, [p]; mov.u64 %%p1, room; cvta.local.u64 %%p2, %%p1; "
                        "st.global.u64 [%%p0], %%p2; ret; }"
                        % (kernel(program), parameters, directive, dice.pick([16, 48, 1024])))
    if dice.chance(0.5):
        stop = program.unique("stop")
        plain.define(".visible .func %s() .noreturn { trap; }" % stop)
        plain.define('.visible .entry %s(.param .u64 p) { .pragma "nounroll"; call %s, (); }'
                     % (kernel(program), stop))


def add_unified(program, dice):
    """Unified functions and variables; nvlink asks for an index file, which nothing we know makes."""
    file = program.add_file("unified", "ptx")
    file.declarations = [".version 8.6\n.target sm_90\n.address_size 64\n"]
    file.min_target = 90
    name, variable = program.unique("unified_function"), program.unique("unified_variable")
    number = dice.between(1, 1 << 40)
    text = function(dice, name, ".visible")
    file.define(text.replace(".func (", ".func .attribute(.unified(%d, %d)) (" % (number, number + 1)))
    file.define(".visible .global .attribute(.unified(%d, 2)) .align 4 .u32 %s = %d;"
                % (number + 2, variable, dice.below(99)))
    file.define(".visible .global .align 8 .u64 %s[2] = {%s, %s};"
                % (program.unique("unified_table"), name, variable))
    program.failure = "unified symbols need an index file (sm_90 and later)"
