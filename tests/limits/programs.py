# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs that need exactly as much of something as a target has, or one unit more.

Each kind of limit is a function from (target, units over the limit) to a list of PTX sources. Nothing
but the linker can know that these programs are too large: what counts is spread over functions that a
kernel calls, or over files.
"""

BANK = 64 * 1024
SHARED = 48 * 1024
# Static shared memory of targets for one chip, in KiB (letter a).
SHARED_OF_CHIP = {"sm_90a": 227, "sm_100a": 227, "sm_103a": 227, "sm_110a": 227, "sm_120a": 99,
                  "sm_121a": 99}
TEXTURES, SAMPLERS, SURFACES = 256, 32, 32


def module(target, lines):
    return "\n".join([".version 9.0", ".target %s" % target, ".address_size 64"] + lines) + "\n"


def calls(names):
    return ["{ .param .b32 a; .param .b32 r; st.param.b32 [a], %%x; call.uni (r), %s, (a); "
            "ld.param.b32 %%x, [r]; }" % name for name in names]


def kernel(name, functions, body=(), before=""):
    return ([".visible .entry %s(.param .u64 p)" % name, before,
             "{ .reg .u64 %p; .reg .b32 %x; ld.param.u64 %p, [p]; ld.global.b32 %x, [%p];"] +
            list(body) + calls(functions) + ["st.global.b32 [%p], %x; ret; }"])


def function(name, body=(), link=".visible"):
    return (["%s .func (.param .b32 r) %s (.param .b32 a) { .reg .b32 %%x; .reg .b32 %%y; "
             ".reg .u64 %%p; ld.param.b32 %%x, [a];" % (link, name)] + list(body) +
            ["st.param.b32 [r], %x; ret; }"])


def branch_table(entries, seed):
    """A table of the compiler: 4 bytes for each entry."""
    labels = 4
    out = ["ts: .branchtargets %s;" % ", ".join("L%d" % (i % labels) for i in range(entries)),
           "brx.idx %x, ts;"]
    for i in range(labels):
        out.append("L%d: mul.lo.u32 %%x, %%x, %d; xor.b32 %%x, %%x, %d; bra E;" %
                   (i, 3 + 7 * i + seed, i + 99))
    return out + ["E:"]


def compiler_constants(target, over):
    count = 8
    size = BANK // 4 // count
    lines = []
    for i in range(count):
        lines += function("f%d" % i, branch_table(size + (over if i == 3 else 0), i))
    return [module(target, lines + kernel("k", ["f%d" % i for i in range(count)]))]


def compiler_constants_of_kernels(target, over):
    """Two kernels that share functions, each with a table of its own; a third reaches one only."""
    quarter = BANK // 4 // 4
    lines = []
    for i in range(3):
        lines += function("f%d" % i, branch_table(quarter, i))
    names = ["f%d" % i for i in range(3)]
    for name, more in (("first", 0), ("second", over), ("third", over)):
        lines += kernel(name, names if name != "third" else names[:1],
                        branch_table(quarter + more, 9))
    return [module(target, lines)]


def use_constant(name):
    return "ld.const.b32 %%y, [%s]; add.u32 %%x, %%x, %%y;" % name


def user_constants(target, over):
    half = BANK // 2
    files = []
    for i, more in enumerate((0, 4 * over)):
        files.append(module(target, [".visible .const .align 4 .b8 c%d[%d];" % (i, half + more)] +
                            kernel("k%d" % i, [], [".reg .b32 %y;", use_constant("c%d" % i)])))
    return files


def user_constants_with_padding(target, over):
    """Files in an order that loses bytes to alignment. Packed, the variables fit, or one does not."""
    half = BANK // 2
    files = []
    for i, (align, size) in enumerate([(8, half), (1, 1), (8, half - 8 + 8 * over), (1, 1)]):
        files.append(module(target, [".visible .const .align %d .b8 c%d[%d];" % (align, i, size)] +
                            kernel("k%d" % i, [], [".reg .b32 %y;", "ld.const.u8 %%y, [c%d]; "
                                                   "add.u32 %%x, %%x, %%y;" % i])))
    return files


def shared_limit(target):
    return SHARED_OF_CHIP.get(target, 48) * 1024


def use_shared(name):
    return "ld.shared.b32 %%y, [%s]; add.u32 %%x, %%x, %%y;" % name


def shared_of_functions(target, over):
    half = shared_limit(target) // 2
    lines = [".shared .align 4 .b8 s0[%d];" % half, ".shared .align 4 .b8 s1[%d];" % (half + 4 * over)]
    for i in range(2):
        lines += function("f%d" % i, [use_shared("s%d" % i)])
    return [module(target, lines + kernel("k", ["f0", "f1"]))]


def shared_of_kernels(target, over):
    """Of three kernels the second and third need too much."""
    half = shared_limit(target) // 2
    lines = [".shared .align 4 .b8 s0[%d];" % half, ".shared .align 4 .b8 s1[%d];" % half,
             ".shared .align 4 .b8 s2[%d];" % (4 + 4 * over)]
    for i in range(3):
        lines += function("f%d" % i, [use_shared("s%d" % i)])
    lines += kernel("first", ["f0", "f1"])
    lines += kernel("second", ["f0", "f1"] + ["f2"] * over)
    lines += kernel("third", ["f1", "f0"] + ["f2"] * over)
    return [module(target, lines)]


def texture_use(texture, sampler=None):
    name = texture if sampler is None else "%s, %s" % (texture, sampler)
    return ["{ .reg .f32 %%f<6>; cvt.rn.f32.u32 %%f1, %%x; tex.1d.v4.f32.f32 {%%f2, %%f3, %%f4, %%f5},"
            " [%s, {%%f1}]; cvt.rzi.u32.f32 %%x, %%f2; }" % name]


def surface_use(surface):
    return ["{ .reg .b32 %%s<5>; suld.b.1d.v4.b32.trap {%%s1, %%s2, %%s3, %%s4}, [%s, {%%x}]; "
            "add.u32 %%x, %%x, %%s1; }" % surface]


def images(target, kind, count, kernels=1):
    """`count` images over two files; the kernels call functions of both."""
    mode = ", texmode_independent" if kind == "sampler" else ""
    files = []
    parts = [range(count // 2), range(count // 2, count)]
    for number, part in enumerate(parts):
        lines = []
        if kind == "sampler":
            lines.append(".global .texref t%d;" % number)
        for i in part:
            lines.append(".global .%sref %s_%d;" % ({"texture": "tex", "sampler": "sampler",
                                                     "surface": "surf"}[kind], kind, i))
        body = []
        for i in part:
            name = "%s_%d" % (kind, i)
            body += (surface_use(name) if kind == "surface" else
                     texture_use(name) if kind == "texture" else
                     texture_use("t%d" % number, name))
        lines += function("g%d" % number, body)
        if number == 0:
            lines.insert(0, ".extern .func (.param .b32 r) g1 (.param .b32 a);")
            for k in range(kernels):
                lines += kernel("k%d" % k, ["g0", "g1"])
        files.append(module(target + mode, lines))
    return files


def textures(target, over):
    return images(target, "texture", TEXTURES + over)


def samplers(target, over):
    return images(target, "sampler", SAMPLERS + over)


def surfaces(target, over):
    return images(target, "surface", SURFACES + over)


def textures_of_two_kernels(target, over):
    return images(target, "texture", TEXTURES + over, kernels=2)


def registers(target, over):
    """Kernels of at most 40 registers call functions of another file that need fewer, or more."""
    lines = [".visible .global .align 4 .b8 g[1024];"]
    for number, count in enumerate((60, 90, 70) if over else (4, 8, 6)):
        body = [".reg .b32 %%v<%d>;" % (count + 1)]
        body += ["ld.volatile.global.b32 %%v%d, [g + %d];" % (i, 4 * i) for i in range(count)]
        body += ["mad.lo.u32 %%x, %%x, %%v%d, %%v%d;" % (i, count - 1 - i) for i in range(count)]
        lines += function("f%d" % number, body)
    names = ["f0", "f1", "f2"]
    users = [".extern .func (.param .b32 r) %s (.param .b32 a);" % name for name in names]
    for number in range(2):
        users += kernel("k%d" % number, names[number:], before=".maxnreg 40")
    return [module(target, users), module(target, lines)]


KINDS = [
    ("compiler-constants", compiler_constants),
    ("compiler-constants-of-kernels", compiler_constants_of_kernels),
    ("user-constants", user_constants),
    ("user-constants-with-padding", user_constants_with_padding),
    ("shared", shared_of_functions),
    ("shared-of-kernels", shared_of_kernels),
    ("textures", textures),
    ("textures-of-two-kernels", textures_of_two_kernels),
    ("samplers", samplers),
    ("surfaces", surfaces),
    ("registers", registers),
]
