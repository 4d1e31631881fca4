# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The systematic walk over PTX: a program of two files for each directive, attribute and way to define a symbol.

The first file of a case uses what the second defines. Each table below lists one dimension of the language as
plain rows; cases() combines them. A row that some compiler refuses is counted as not compiled.
"""

from collections import namedtuple

# `since`: the first target. `only`: how the number of the target ends ("a", "f"). `flags`: what ptxas gets.
Case = namedtuple("Case", "name files since only flags", defaults=(75, "", ()))

HEAD = ".version 9.0\n.target {target}\n.address_size 64\n"
REGISTERS = (".reg .b64 %p<9>; .reg .b32 %x<9>; .reg .b16 %h<9>; .reg .f32 %f<9>; .reg .f64 %d<9>; .reg .pred %q<9>; "
             ".param .b32 a; .param .b32 r;\n")


def entry(name, body="", directives="", linkage=".visible", parameters=".param .u64 p"):
    """A kernel. Its body may use and change %x1, a word of memory that %p0 points to."""
    return "%s .entry %s(%s) %s {\n%s ld.param.u64 %%p0, [p]; ld.global.u32 %%x1, [%%p0];\n%s\n st.global.u32 [%%p0], %%x1; ret; }\n" % (
        linkage, name, parameters, directives, REGISTERS, body)


def prototype(name, linkage=".extern", attributes=""):
    return "%s .func %s (.param .b32 r) %s(.param .b32 a);\n" % (linkage, attributes, name)


def function(name, body=" add.u32 %x1, %x1, 3;", linkage=".visible", attributes="", directives=""):
    registers = REGISTERS.partition(" .param .b32 a;")[0]
    return ("%s .func %s (.param .b32 r) %s(.param .b32 a) %s {\n%s\n ld.param.u32 %%x1, [a];\n%s\n"
            " st.param.b32 [r], %%x1; ret; }\n" % (linkage, attributes, name, directives, registers, body))


def call(name, more=""):
    return " { .param .b32 ca; .param .b32 cr; st.param.b32 [ca], %%x1; call (cr), %s, (ca)%s; ld.param.b32 %%x1, [cr]; }" % (name, more)


def load(space, name, offset=0):
    return " ld%s.u8 %%h1, [%s+%d]; cvt.u32.u16 %%x2, %%h1; add.u32 %%x1, %%x1, %%x2;" % (space, name, offset)


def case(name, *files, **more):
    return Case(name, tuple(HEAD + text for text in files), **more)


def with_mode(files, mode):
    return Case(files.name, tuple(text.replace("{target}", "{target}, " + mode, 1) for text in files.files), *files[2:])


# Variables. --------------------------------------------------------------------------------------------------------

MANAGED = ".global .attribute(.managed)"
UNIFIED = ".global .attribute(.unified(19, 95))"
SPACES = [("global", ".global", ".global"), ("const", ".const", ".const"), ("shared", ".shared", ".shared"),
          ("managed", MANAGED, ".global"), ("unified", UNIFIED, ".global")]

# (name, linkage of the definition, linkage in the other file)
LINKAGES = [("visible", ".visible", ".extern"), ("weak", ".weak", ".extern"), ("common", ".common", ".extern"),
            ("weak-weak", ".weak", ".weak"), ("common-common", ".common", ".common"),
            ("visible-weak", ".visible", ".weak"), ("visible-common", ".visible", ".common"),
            ("weak-common", ".weak", ".common"), ("own-own", "", ""), ("visible-own", ".visible", ""),
            ("twice", ".visible", ".visible"), ("nowhere", ".extern", ".extern"), ("own-extern", "", ".extern")]

# (name, type and array of the definition, the same in the other file)
SHAPES = [("u8", ".u8 v", ".u8 v"), ("u16", ".u16 v", ".u16 v"), ("u64", ".u64 v", ".u64 v"), ("f32", ".f32 v", ".f32 v"),
          ("f64", ".f64 v", ".f64 v"), ("b128", ".b128 v", ".b128 v"), ("v2", ".v2 .u32 v", ".v2 .u32 v"),
          ("v4", ".v4 .f32 v", ".v4 .f32 v"), ("array", ".u32 v[5]", ".u32 v[5]"), ("matrix", ".u32 v[3][2]", ".u32 v[3][2]"),
          ("bytes", ".align 1 .b8 v[3]", ".align 1 .b8 v[3]"), ("aligned", ".align 128 .b8 v[24]", ".align 128 .b8 v[24]"),
          ("page", ".align 4096 .b8 v[24]", ".align 4096 .b8 v[24]"), ("unsized", ".align 4 .b8 v[24]", ".align 4 .b8 v[]"),
          ("more-aligned", ".align 4 .b8 v[24]", ".align 64 .b8 v[24]"),
          ("less-aligned", ".align 64 .b8 v[24]", ".align 4 .b8 v[24]"),
          ("larger", ".align 4 .b8 v[24]", ".align 4 .b8 v[32]"), ("smaller", ".align 4 .b8 v[24]", ".align 4 .b8 v[16]"),
          ("other-type", ".u32 v", ".f32 v"), ("element", ".u32 v", ".u32 v[1]"), ("big", ".align 4 .b8 v[40000]", ".align 4 .b8 v[40000]")]

PLAIN_SHAPE = ("plain", ".align 8 .b8 v[24]", ".align 8 .b8 v[24]")


def variable(name, space, linkage, shape, value="", functions=False):
    """One variable, which kernels of both files load; or functions of both files as well."""
    _, declared, used = space
    _, defining, other = linkage
    _, defined, expected = shape
    both = entry("k2", load(used, "v"))
    body = load(used, "v", 1 if "u8" not in expected else 0)
    if functions:
        first = function("user", body) + prototype("definer") + entry("k1", call("user") + call("definer"))
        both = function("definer", load(used, "v"))
    else:
        first = entry("k1", body)
    value = value if defining != ".extern" else ""
    return case(name, "%s %s %s;\n%s" % (other, declared, expected, first), "%s %s %s%s;\n%s" % (defining, declared, defined, value, both))


def exists(space, *words):
    """Common symbols are global variables."""
    return ".common" not in words or ".global" in space[1]


def variables():
    for space in SPACES:
        for linkage in LINKAGES:
            if not exists(space, *linkage):
                continue
            yield variable("variable/%s/%s" % (space[0], linkage[0]), space, linkage, PLAIN_SHAPE)
            if space[0] != "shared":
                yield variable("variable/%s/%s/value" % (space[0], linkage[0]), space, linkage, PLAIN_SHAPE, " = {1, 2}")
            else:
                yield variable("variable/%s/%s/functions" % (space[0], linkage[0]), space, linkage, PLAIN_SHAPE, "", True)
    for space in SPACES[:4]:
        for linkage in (LINKAGES[0], LINKAGES[1], LINKAGES[2], LINKAGES[3]):
            for shape in SHAPES:
                if not exists(space, *linkage) or (linkage[2] == ".weak" and "[]" in shape[2]):
                    continue
                yield variable("shape/%s/%s/%s" % (space[0], linkage[0], shape[0]), space, linkage, shape)
    # The definition and a declaration in the same file; the other file has only a declaration, or nothing.
    for name, declared, used in SPACES:
        for linkage in (".visible", ".weak", ".common"):
            if not exists((name, declared), linkage):
                continue
            define = ".extern %s .align 8 .b8 v[24];\n%s %s .align 8 .b8 v[24];\n" % (declared, linkage, declared)
            yield case("declared-and-defined/%s/%s" % (name, linkage[1:]), ".extern %s .align 8 .b8 v[24];\n" % declared + entry(
                "k1", load(used, "v")), define + entry("k2", load(used, "v")))
            yield case("never-used/%s/%s" % (name, linkage[1:]), entry("k1"), define + entry("k2"))
        yield case("declared-only/%s" % name, ".extern %s .align 8 .b8 v[24];\n" % declared + entry("k1"), entry("k2"))
    # One name in two spaces.
    for name, declared, used in SPACES[:4]:
        for other_name, other_declared, _ in SPACES[:4]:
            if name != other_name:
                yield case("two-spaces/%s/%s" % (name, other_name), ".extern %s .align 8 .b8 v[24];\n" % declared + entry(
                    "k1", load(used, "v")), ".visible %s .align 8 .b8 v[24];\n" % other_declared + entry("k2"))


# (name, declaration in the first file, in the second): dynamic shared memory.
DYNAMIC = [("one-file", ".extern .shared .align 4 .b8 v[];", ""), ("both", ".extern .shared .align 4 .b8 v[];", ".extern .shared .align 4 .b8 v[];"),
           ("aligned", ".extern .shared .align 16 .b8 v[];", ".extern .shared .align 128 .b8 v[];"),
           ("very-aligned", ".extern .shared .align 1024 .b8 v[];", ".extern .shared .align 8 .b8 v[];"),
           ("types", ".extern .shared .u64 v[];", ".extern .shared .u8 v[];"),
           ("and-static", ".extern .shared .align 16 .b8 v[];\n.shared .align 64 .b8 w[100];", ".extern .shared .align 16 .b8 v[];\n.visible .shared .b8 z[3];"),
           ("two-names", ".extern .shared .align 16 .b8 v[];\n.extern .shared .align 32 .b8 w[];", ".extern .shared .align 64 .b8 w[];"),
           ("sized-here", ".extern .shared .align 4 .b8 v[24];", ".extern .shared .align 4 .b8 v[];"),
           ("sized-there", ".extern .shared .align 4 .b8 v[];", ".visible .shared .align 4 .b8 v[24];"),
           ("weak", ".extern .shared .align 4 .b8 v[];", ".weak .shared .align 4 .b8 v[24];"),
           ("static-of-both", ".shared .align 4 .b8 v[24];", ".shared .align 64 .b8 v[40];")]


def dynamic_memory():
    for name, first, second in DYNAMIC:
        in_second = load(".shared", "v") if " v[" in second else load(".shared", "w") if " w[" in second else ""
        yield case("dynamic/%s/kernels" % name, first + entry("k1", load(".shared", "v")), second + entry("k2", in_second))
        yield case("dynamic/%s/functions" % name, first + prototype("other") + function("own", load(".shared", "v")) + entry(
            "k1", call("own") + call("other")), second + function("other", in_second))
        yield case("dynamic/%s/function-of-kernel" % name, prototype("other") + first + entry("k1", load(".shared", "v") + call("other"))
                   + entry("k3", call("other")), second + function("other", in_second) + entry("k4"))
    for register in ("dynamic_smem_size", "total_smem_size"):
        yield case("dynamic/" + register, ".extern .shared .align 4 .b8 v[];" + entry("k1", " mov.u32 %%x1, %%%s;" % register + load(".shared", "v")), entry("k2"))
    for register in ("aggr_smem_size", "reserved_smem_offset_begin", "reserved_smem_offset_end", "reserved_smem_offset_cap",
                     "reserved_smem_offset_0"):
        yield case("dynamic/" + register, entry("k1", " mov.u32 %%x1, %%%s;" % register), entry("k2"), since=90)


# Initialisers: (name, what precedes in the file, type and name, value). `o` is a variable, `f` a function and `c` a
# constant that may be of the other file, k2 a kernel of that.
VALUES = [("number", ".u32 t", "7"), ("negative", ".s32 t", "-7"), ("partial", ".u32 t[4]", "{1, 2}"), ("zeros", ".u32 t[4]", "{0, 0, 0, 0}"),
          ("nested", ".u32 t[2][2]", "{{1, 2}, {3, 4}}"), ("f32", ".f32 t[3]", "{1.5, 0f40000000, -0.0}"), ("f64", ".f64 t[2]", "{1.5, 0d4000000000000000}"),
          ("v4", ".v4 .f32 t", "{1.0, 2.0, 3.0, 4.0}"), ("bytes", ".b8 t[5]", "{1, 255, 0x7f, 0, 2}"), ("u16", ".u16 t[3]", "{1, 65535, 3}"),
          ("u64", ".u64 t[2]", "{0xffffffffffffffff, 1}"), ("inferred", ".u32 t[]", "{1, 2, 3}"), ("expression", ".u32 t", "3*5+(1<<4)")]
ADDRESSES = [("address", ".u64 t", "o"), ("offset", ".u64 t[2]", "{o, o+4}"), ("generic", ".u64 t", "generic(o)"), ("generic-offset", ".u64 t[2]", "{generic(o)+8, 5}"),
             ("constant", ".u64 t", "c"), ("generic-constant", ".u64 t[2]", "{generic(c), generic(c)+4}"),
             ("function", ".u64 t[2]", "{f, f}"), ("function-and-data", ".u64 t[3]", "{f, o, 3}"), ("kernel", ".u64 t", "k2"),
             ("address32", ".u32 t", "o"), ("function32", ".u32 t", "f"), ("generic32", ".u32 t", "generic(o)"),
             ("constant32", ".u32 t", "c")] + [
    ("mask%d-%s" % (index, what), ".u8 t[3]", "{1, 0x%x(%s), 2}" % (0xff << 8 * index, value))
    for index in (0, 3, 7) for what, value in (("address", "o"), ("function", "f"), ("generic", "generic(o)+5"))] + [
    ("masks", ".u8 t[8]", "{%s}" % ", ".join("0x%X(o+4)" % (0xff << 8 * index) for index in range(8)))]
TARGETS_OF_ADDRESSES = [("other-file", "", ".visible .global .align 8 .b8 o[24];\n.visible .const .align 8 .b8 c[24] = {1};\n", ".visible"),
                        ("same-file", ".visible .global .align 8 .b8 o[24];\n.visible .const .align 8 .b8 c[24] = {1};\n", "", ".visible"),
                        ("own", ".global .align 8 .b8 o[24];\n.const .align 8 .b8 c[24] = {1};\n", "", ""),
                        ("weak", "", ".weak .global .align 8 .b8 o[24];\n.weak .const .align 8 .b8 c[24] = {1};\n", ".weak")]
DECLARED = ".extern .global .align 8 .b8 o[24];\n.extern .const .align 8 .b8 c[24];\n"


def initialisers():
    for space in (".global", ".const", MANAGED):
        short = space.split()[-1].strip(").").replace("attribute(.", "")
        for name, declared, value in VALUES:
            yield case("value/%s/%s" % (short, name), ".extern %s .align 16 %s;\n" % (space, declared.replace("[]", "[3]")) + entry("k1", load(
                ".const" if space == ".const" else ".global", "t")), ".visible %s .align 16 %s = %s;\n" % (space, declared, value) + entry("k2"))
        for name, declared, value in ADDRESSES:
            for where, here, there, linkage in TARGETS_OF_ADDRESSES:
                declared_here = here or DECLARED
                functions = function("f", linkage=linkage) if here else prototype("f")
                kernel = ".extern .entry k2(.param .u64 p);\n" if name == "kernel" else ""
                yield case("address/%s/%s/%s" % (short, name, where), declared_here + functions + kernel + ".visible %s .align 8 %s = %s;\n" % (space, declared, value) + entry(
                    "k1", load(".const" if space == ".const" else ".global", "t")), there + ("" if here else function("f", linkage=linkage)) + entry("k2"))


# Functions. ---------------------------------------------------------------------------------------------------------

# (name, linkage and text of the definition, linkage in the other file)
FUNCTION_LINKAGES = [("visible", ".visible", ".extern"), ("weak", ".weak", ".extern"), ("weak-weak", ".weak", ".weak"), ("visible-weak", ".visible", ".weak"),
                     ("own-own", "", ""), ("twice", ".visible", ".visible"), ("own-extern", "", ".extern")]
# (name, result, parameters, how the second file has them if otherwise)
SIGNATURES = [("nothing", "", "", None), ("u64", "(.param .b64 r)", "(.param .b64 a)", None), ("struct", "(.param .align 8 .b8 r[24])", "(.param .align 16 .b8 a[40])", None),
              ("many", "", "(%s)" % ", ".join(".param .b32 a%d" % index for index in range(40)), None),
              ("large", "", "(.param .align 4 .b8 a[3000])", None), ("unsized", "(.param .b32 r)", "(.param .b32 a, .param .align 8 .b8 b[])", None),
              ("f64", "(.param .f64 r)", "(.param .f64 a, .param .f32 b, .param .b8 c)", None), ("reg", "(.reg .b32 r)", "(.reg .b32 a)", None),
              ("fewer", "", "(.param .b32 a)", ("", "(.param .b32 a, .param .b32 b)")), ("other-type", "", "(.param .b32 a)", ("", "(.param .b64 a)")),
              ("other-result", "(.param .b32 r)", "", ("", "")), ("other-alignment", "", "(.param .align 8 .b8 a[16])", ("", "(.param .align 4 .b8 a[16])"))]
# (name, of the definition, of the declaration): attributes before the name, and directives behind the parameters.
FUNCTION_DIRECTIVES = [("noreturn", ".noreturn", ".noreturn", 75), ("noreturn-defined", ".noreturn", "", 75), ("noreturn-declared", "", ".noreturn", 75),
                       ("abi_preserve", ".abi_preserve 6", ".abi_preserve 6", 80), ("abi_preserve-other", ".abi_preserve 6", ".abi_preserve 8", 80),
                       ("abi_preserve-defined", ".abi_preserve 4", "", 80), ("abi_preserve-declared", "", ".abi_preserve 4", 80),
                       ("abi_preserve_control", ".abi_preserve_control 2", ".abi_preserve_control 2", 80)]


def functions():
    for name, linkage, other in FUNCTION_LINKAGES:
        here = prototype("f", ".extern") if other == ".extern" else function("f", " mul.lo.u32 %x1, %x1, 5;", other)
        yield case("function/%s" % name, here + entry("k1", call("f")), function("f", linkage=linkage) + entry("k2", call("f")))
        yield case("function/%s/address" % name, here + entry("k1", " mov.u64 %p1, f; cvt.u32.u64 %x1, %p1;"), function("f", linkage=linkage) + entry(
            "k2", " proto: .callprototype (.param .b32 _) _ (.param .b32 _); mov.u64 %p1, f;" + call("%p1", ", proto")))
        yield case("function/%s/dead" % name, here + entry("k1"), function("f", linkage=linkage) + entry("k2"))
        yield case("function/%s/shared" % name, here + entry("k1", call("f")), ".shared .align 4 .b8 s[20];\n" + function("f", load(".shared", "s"), linkage) + entry("k2"))
    for name, result, parameters, other in SIGNATURES:
        other_result, other_parameters = other or (result, parameters)
        yield case("signature/" + name, ".extern .func %s f %s;\n" % (result, parameters) + ".visible .global .u64 t[1] = {f};\n" + entry("k1", load(".global", "t")),
                   ".visible .func %s f %s { ret; }\n" % (other_result, other_parameters) + entry("k2"))
        yield case("signature/weak/" + name, ".weak .func %s f %s { ret; }\n" % (result, parameters) + ".visible .global .u64 t[1] = {f};\n" + entry("k1", load(".global", "t")),
                   ".visible .func %s f %s { ret; }\n" % (other_result, other_parameters) + entry("k2"))
    for name, defined, declared, since in FUNCTION_DIRECTIVES:
        if "noreturn" in name:
            yield case("function/" + name, ".extern .func f %s;\n" % declared + entry("k1", " call f;"), ".visible .func f %s { trap; }\n" % defined + entry("k2"))
            continue
        yield case("function/" + name, ".extern .func (.param .b32 r) f(.param .b32 a) %s;\n" % declared + entry("k1", call("f")),
                   function("f", directives=defined) + entry("k2"), since=since)
    yield case("function/unified", prototype("f", ".extern", ".attribute(.unified(19, 95))") + entry("k1", call("f")),
               function("f", attributes=".attribute(.unified(19, 95))") + entry("k2"), since=90)
    for linkage in (".visible", ".weak"):
        alias = function("g") + prototype("f", linkage) + ".alias f, g;\n"
        yield case("alias/%s" % linkage[1:], prototype("f") + entry("k1", call("f")), alias + entry("k2", call("g")))
        yield case("alias/%s/address" % linkage[1:], prototype("f") + ".visible .global .u64 t[2] = {f, f};\n" + entry("k1", load(".global", "t")), alias + entry("k2"))
        yield case("alias/%s/own-function" % linkage[1:], prototype("f") + entry("k1", call("f")), function("g", linkage="") + prototype("f", linkage) + ".alias f, g;\n" + entry("k2"))
        yield case("alias/%s/twice" % linkage[1:], alias + entry("k1", call("f")), function("h") + prototype("f", linkage) + ".alias f, h;\n" + entry("k2"))
        yield case("alias/%s/function-there" % linkage[1:], function("f", linkage=".weak") + entry("k1", call("f")), alias + entry("k2"))
    prototypes = " proto: .callprototype (.param .b32 _) _ (.param .b32 _)%s; mov.u64 %%p1, f;"
    for name, directive, since in (("plain", "", 75), ("abi_preserve", " .abi_preserve 4", 80), ("abi_preserve_control", " .abi_preserve_control 2", 80)):
        yield case("callprototype/" + name, prototype("f") + entry("k1", prototypes % directive + call("%p1", ", proto")), function("f") + entry("k2"), since=since)
    yield case("calltargets", prototype("f") + prototype("g") + entry("k1", " list: .calltargets f, g; mov.u64 %p1, f;" + call("%p1", ", list")), function("f") + function("g") + entry("k2"))
    ways = (" and.b32 %x2, %x1, 3; ways: .branchtargets w0, w1, w2, w3; brx.idx %x2, ways; w0: add.u32 %x1, %x1, 1; bra done; w1: mul.lo.u32 %x1, %x1, 3; bra done;"
            " w2: xor.b32 %x1, %x1, 77; bra done; w3: shl.b32 %x1, %x1, 2; done:")
    yield case("branchtargets/kernel", prototype("f") + entry("k1", ways + call("f")), function("f") + entry("k2", ways))
    for linkage in (".visible", ".weak"):
        yield case("branchtargets/function/" + linkage[1:], prototype("f") + entry("k1", call("f")), function("f", ways, linkage) + entry("k2", call("f")))
    yield case("branchtargets/copies", function("f", ways, ".weak") + entry("k1", call("f")), function("f", " add.u32 %x1, %x1, 4;" + ways, ".weak") + entry("k2", call("f")))
    yield case("recursion/own", prototype("f") + entry("k1", call("f")), prototype("f", ".visible") + function("f", " setp.eq.u32 %q1, %x1, 0; @%q1 bra out; sub.u32 %x1, %x1, 1;" + call("f") + "\n out:"))
    yield case("recursion/both", prototype("f") + function("g", " setp.eq.u32 %q1, %x1, 0; @%q1 bra out; sub.u32 %x1, %x1, 1;" + call("f") + "\n out:") + entry("k1", call("g")),
               prototype("g") + function("f", call("g")) + entry("k2"))
    stack = " .local .align 16 .b8 l[200]; st.local.u32 [l+8], %x1; mov.u64 %p2, l; cvta.local.u64 %p2, %p2; ld.u32 %x1, [%p2+8];"
    yield case("stack/both", prototype("f") + entry("k1", stack + call("f")), function("f", stack) + entry("k2", call("f")))
    yield case("stack/alloca", prototype("f") + entry("k1", call("f")), function("f", " cvt.u64.u32 %p1, %x1; alloca.u64 %p2, %p1, 16; st.local.u32 [%p2], %x1; stacksave.u64 %p3; stackrestore.u64 %p3;"))


# Kernels. -----------------------------------------------------------------------------------------------------------

# (name, directives, first target)
KERNEL_DIRECTIVES = [("maxntid1", ".maxntid 128", 75), ("maxntid2", ".maxntid 16, 8", 75), ("maxntid3", ".maxntid 8, 8, 4", 75), ("reqntid1", ".reqntid 128", 75), ("reqntid3", ".reqntid 8, 8, 2", 75),
                     ("maxnreg", ".maxnreg 24", 75), ("maxnreg-large", ".maxnreg 255", 75), ("minnctapersm", ".maxntid 128 .minnctapersm 4", 75),
                     ("minnctapersm-alone", ".minnctapersm 4", 75), ("pragma-nounroll", '.pragma "nounroll";', 75),
                     ("reqnctapercluster1", ".reqnctapercluster 2", 90), ("reqnctapercluster3", ".explicitcluster .reqnctapercluster 2, 2, 1", 90), ("explicitcluster", ".explicitcluster", 90),
                     ("maxclusterrank", ".maxclusterrank 8", 90), ("maxclusterrank-large", ".maxclusterrank 16", 90), ("blocksareclusters", ".blocksareclusters .reqntid 64 .reqnctapercluster 2", 90),
                     ("everything", ".maxntid 256 .minnctapersm 2 .explicitcluster .maxclusterrank 4", 90)]
KERNEL_PARAMETERS = [("aligned", ".param .u64 p, .param .align 64 .b8 s[128]"), ("pointer", ".param .u64 .ptr .global .align 16 p"), ("pointer-const", ".param .u64 p, .param .u64 .ptr .const .align 4 s"),
                     ("pointer-shared", ".param .u64 p, .param .u64 .ptr .shared .align 4 s"), ("many", ".param .u64 p, " + ", ".join(".param .b8 s%d" % index for index in range(60))),
                     ("4096", ".param .u64 p, .param .b8 s[4088]"), ("large", ".param .u64 p, .param .align 4 .b8 s[20000]"), 
                     ("texref", ".param .u64 p, .param .texref s"), ("samplerref", ".param .u64 p, .param .samplerref s"), ("surfref", ".param .u64 p, .param .surfref s"),
                     ("f64", ".param .u64 p, .param .f64 s, .param .f32 w")]
KERNEL_LINKAGES = [("visible-visible", ".visible", ".visible"), ("weak-weak", ".weak", ".weak"), ("visible-weak", ".visible", ".weak"), ("own-own", "", ""), ("extern", ".visible", ".extern"),
                   ("extern-nowhere", None, ".extern"), ("extern-weak", ".weak", ".extern")]


def kernels():
    for name, directives, since in KERNEL_DIRECTIVES:
        yield case("kernel/" + name, prototype("f") + entry("k1", call("f"), directives), function("f") + entry("k2"), since=since)
        yield case("kernel/weak/" + name, entry("k1", " add.u32 %x1, %x1, 1;", directives, ".weak"), entry("k1", " add.u32 %x1, %x1, 2;", "", ".weak") + entry("k2"), since=since)
    for name, parameters in KERNEL_PARAMETERS:
        for one in (case("parameter/" + name, prototype("f") + entry("k1", call("f"), "", ".visible", parameters), function("f") + entry("k2")),
                    case("parameter/weak/" + name, entry("k1", " add.u32 %x1, %x1, 1;", "", ".weak", parameters), entry("k1", " add.u32 %x1, %x1, 2;", "", ".weak", parameters) + entry("k2"))):
            yield with_mode(one, "texmode_independent") if name == "samplerref" else one
    for name, linkage, other in KERNEL_LINKAGES:
        first = ".extern .entry k1(.param .u64 p);\n.visible .global .u64 t = k1;\n" if other == ".extern" else entry("k1", " add.u32 %x1, %x1, 1;", "", other)
        yield case("kernel/linkage/" + name, first + entry("k0", load(".global", "t") if other == ".extern" else ""),
                   (entry("k1", " add.u32 %x1, %x1, 2;", "", linkage) if linkage is not None else "") + entry("k2"))
    yield case("kernel/none", prototype("f") + function("g", call("f")), function("f"))
    yield case("kernel/empty-files", "", "")
    yield case("kernel/empty-file", entry("k1"), "")
    yield case("kernel/launch-bounds-of-callee", prototype("f") + entry("k1", call("f"), ".maxnreg 24"), function("f", " .reg .b32 %y<60>;\n" + "\n".join(
        " ld.global.u32 %%y%d, [%%p0+%d];" % (index, 4 * index) for index in range(50)) + "\n bar.sync 0;\n" + "\n".join(" add.u32 %%x1, %%x1, %%y%d;" % index for index in range(50))))


# Images. ------------------------------------------------------------------------------------------------------------

TEX = " cvt.rn.f32.u32 %f1, %x1; tex.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [t, {%f1, %f1}]; cvt.rzi.u32.f32 %x1, %f2;"
TEX_SAMPLER = TEX.replace("[t, ", "[t, s, ")
SURFACE = " suld.b.1d.b32.trap %x1, [u, {%x1}];"
STORE = " sust.b.2d.b32.trap [u, {%x1, %x1}], %x1;"
# (name, body, variables that it needs, directives of the module)
IMAGES = [("texture", TEX, ["texref t"], ""), ("query", " txq.width.b32 %x1, [t];", ["texref t"], ""),
          ("surface", SURFACE, ["surfref u"], ""), ("surface-store", STORE, ["surfref u"], ""), ("surface-query", " suq.width.b32 %x1, [u];", ["surfref u"], ""),
          ("texture-surface", TEX + SURFACE, ["texref t", "surfref u"], ""),
          ("sampler", TEX_SAMPLER, ["texref t", "samplerref s"], "texmode_independent"),
          ("sampler-value", TEX_SAMPLER, ["texref t", "samplerref s = {addr_mode_0 = wrap, addr_mode_1 = mirror, filter_mode = linear}"], "texmode_independent"),
          ("sampler-query", " txq.filter_mode.b32 %x1, [s];", ["samplerref s"], "texmode_independent"),
          ("gather", TEX.replace("tex.2d", "tld4.r.2d"), ["texref t"], ""), ("level", " cvt.rn.f32.u32 %f1, %x1; tex.level.2d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [t, {%f1, %f1}], %f1; cvt.rzi.u32.f32 %x1, %f2;", ["texref t"], ""),
          ("bindless", TEX.replace("[t,", "[%p0,"), [], "")]


def images():
    for name, body, needed, mode in IMAGES:
        define = "".join(".visible .global .%s;\n" % text for text in needed)
        declare = "".join(".extern .global .%s;\n" % text.partition(" =")[0] for text in needed)
        own = "".join(".global .%s;\n" % text for text in needed)
        weak = "".join(".weak .global .%s;\n" % text for text in needed)
        made = [case("image/%s/extern" % name, declare + entry("k1", body), define + entry("k2", body)),
                case("image/%s/own" % name, own + entry("k1", body), own + entry("k2", body)),
                case("image/%s/weak" % name, weak + entry("k1", body), weak + entry("k2", body)),
                case("image/%s/function" % name, prototype("f") + entry("k1", call("f")) + entry("k3"), define + function("f", body) + entry("k2")),
                case("image/%s/both-functions" % name, declare + prototype("f") + function("g", body) + entry("k1", call("f") + call("g")), define + function("f", body) + entry("k2", call("f")))]
        for one in made:
            yield with_mode(one, mode) if mode else one
    for name in ("texref", "surfref"):
        yield case("image/address/" + name, ".extern .global .%s t;\n.visible .global .u64 v = t;\n" % name + entry("k1", load(".global", "v")), ".visible .global .%s t;\n" % name + entry("k2"))
        yield case("image/moved/" + name, ".extern .global .%s t;\n" % name + entry("k1", " mov.u64 %p1, t; cvt.u32.u64 %x1, %p1;"), ".visible .global .%s t;\n" % name + entry("k2"))


# What is in a function of the second file, which a kernel of the first one calls, and in a kernel.
INSTRUCTIONS = [
    ("barrier0", " bar.sync 0;", 75, ""), ("barrier5", " bar.sync 5, 64;", 75, ""), ("barrier-register", " bar.sync %x1;", 75, ""), ("barrier-red", " setp.ne.u32 %q1, %x1, 0; bar.red.popc.u32 %x1, 1, %q1;", 75, ""),
    ("barrier-warp", " bar.warp.sync -1;", 75, ""), ("trap", " trap;", 75, ""), ("brkpt", " brkpt;", 75, ""), ("exit", " exit;", 75, ""), ("pmevent", " pmevent 1;", 75, ""), ("nanosleep", " nanosleep.u32 100;", 75, ""),
    ("clock", " mov.u32 %x1, %clock;", 75, ""), ("envreg", " mov.b32 %x1, %envreg3;", 75, ""), ("gridid", " mov.u64 %p1, %gridid; cvt.u32.u64 %x1, %p1;", 75, ""), ("smid", " mov.u32 %x1, %smid;", 75, ""),
    ("ctaid", " mov.u32 %x1, %ctaid.z; mov.u32 %x2, %nctaid.y; add.u32 %x1, %x1, %x2;", 75, ""), ("lanemask", " mov.u32 %x1, %lanemask_lt;", 75, ""), ("vote", " vote.sync.ballot.b32 %x1, 1, -1;", 75, ""),
    ("div64", " cvt.u64.u32 %p1, %x1; mov.u64 %p2, 987654321; div.u64 %p3, %p2, %p1; rem.u64 %p1, %p2, %p1; add.u64 %p1, %p1, %p3; cvt.u32.u64 %x1, %p1;", 75, ""),
    ("divf64", " cvt.rn.f64.u32 %d1, %x1; mov.f64 %d2, 1.5; div.rn.f64 %d3, %d2, %d1; sqrt.rn.f64 %d3, %d3; rcp.rn.f64 %d3, %d3; cvt.rzi.u32.f64 %x1, %d3;", 75, ""),
    ("divf32", " cvt.rn.f32.u32 %f1, %x1; mov.f32 %f2, 0f40490fdb; div.rn.f32 %f3, %f2, %f1; sqrt.rn.f32 %f3, %f3; rcp.rn.f32 %f3, %f3; cvt.rzi.u32.f32 %x1, %f3;", 75, ""),
    ("atomics", " atom.global.add.f64 %d1, [%p0], 0d3ff0000000000000; atom.global.cas.b32 %x1, [%p0], %x1, 3; red.global.max.s32 [%p0], 4;", 75, ""), ("generic-atomic", " atom.add.u32 %x1, [%p0], 1;", 75, ""),
    ("generic-f64-atomic", " atom.add.f64 %d1, [%p0], 0d3ff0000000000000;", 75, ""), ("atom128", " .reg .b128 %w<3>; mov.b128 %w1, {%p1, %p2}; atom.global.exch.b128 %w2, [%p0], %w1; mov.b128 {%p3, %p4}, %w2;", 90, ""),
    ("isspacep", " isspacep.shared %q1, %p0; selp.u32 %x1, 1, 0, %q1;", 75, ""), ("isspacep-param", " isspacep.param %q1, %p0; selp.u32 %x1, 1, 0, %q1;", 75, ""),
    ("cvta-shared", " cvta.to.shared.u64 %p1, %p0; ld.shared.u32 %x1, [%p1];", 75, ""), ("cvta-local", " cvta.to.local.u64 %p1, %p0; ld.local.u32 %x1, [%p1];", 75, ""),
    ("prefetch", " prefetch.global.L2 [%p0]; prefetchu.L1 [%p0];", 75, ""), ("policy", " createpolicy.fractional.L2::evict_last.b64 %p1, 1.0; ld.global.L2::cache_hint.u32 %x1, [%p0], %p1;", 80, ""),
    ("cp.async", " cvt.u32.u64 %x2, %p0; cp.async.ca.shared.global [%x2], [%p0], 4; cp.async.commit_group; cp.async.wait_all;", 80, ""),
    ("mbarrier", " .shared .align 8 .b64 mb; mbarrier.init.shared.b64 [mb], 3; mbarrier.arrive.shared.b64 %p1, [mb]; mbarrier.test_wait.shared.b64 %q1, [mb], %p1; mbarrier.inval.shared.b64 [mb];", 80, ""),
    ("mbarrier-try", " .shared .align 8 .b64 mb; mbarrier.init.shared.b64 [mb], 3; mbarrier.try_wait.parity.shared::cta.b64 %q1, [mb], 0; mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [mb], 32;", 90, ""),
    ("cluster-barrier", " barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;", 90, ""), ("mapa", " mov.u64 %p1, %p0; mapa.u64 %p2, %p1, 1; getctarank.u64 %x1, %p2;", 90, ""),
    ("cluster-registers", " mov.u32 %x1, %cluster_ctarank; mov.u32 %x2, %clusterid.x; add.u32 %x1, %x1, %x2; mov.u32 %x2, %nclusterid.y; add.u32 %x1, %x1, %x2;", 90, ""),
    ("griddepcontrol", " griddepcontrol.wait; griddepcontrol.launch_dependents;", 90, ""), ("setmaxnreg", " setmaxnreg.inc.sync.aligned.u32 232;", 90, "a"), ("elect", " elect.sync %x1|%q1, -1;", 90, ""),
    ("bulk-copy", " .shared .align 128 .b8 sb[256]; .shared .align 8 .b64 mb; cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [sb], [%p0], 256, [mb];", 90, ""),
    ("tensor-copy", " .shared .align 128 .b8 sb[256]; .shared .align 8 .b64 mb; cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [sb], [%p0, {%x1, %x1}], [mb]; prefetch.tensormap [%p0];", 90, ""),
    ("tensormap-replace", " tensormap.replace.tile.global_address.global.b1024.b64 [%p0], %p0;", 90, "a"), ("multimem", " multimem.ld_reduce.relaxed.sys.global.add.u32 %x1, [%p0];", 90, ""),
    ("wgmma", " wgmma.fence.sync.aligned; wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f1, %f2, %f3, %f4}, %p1, %p2, 1, 1, 1, 0, 0; wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;", 90, "a"),
    ("mma", " mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%x1, %x2}, {%x3}, {%f1, %f2, %f3, %f4};", 75, ""), ("stmatrix", " .shared .align 16 .b8 sb[512]; stmatrix.sync.aligned.m8n8.x1.shared.b16 [sb], {%x1};", 90, ""),
    ("tcgen05-alloc", " .shared .align 4 .b32 tm; tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [tm], 32; ld.shared.u32 %x2, [tm]; tcgen05.dealloc.cta_group::1.sync.aligned.b32 %x2, 32; tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;", 100, "a"),
    ("tcgen05-ld", " tcgen05.ld.sync.aligned.32x32b.x1.b32 {%x1}, [%x1]; tcgen05.wait::ld.sync.aligned;", 100, "a"),
    ("cluster-launch-control", " .shared .align 16 .b8 sb[16]; .shared .align 8 .b64 mb; clusterlaunchcontrol.try_cancel.async.shared::cta.mbarrier::complete_tx::bytes.b128 [sb], [mb];", 100, ""),
    ("redux", " redux.sync.add.u32 %x1, %x1, -1;", 80, ""), ("match", " match.any.sync.b32 %x1, %x1, -1;", 75, ""), ("fence", " fence.sc.sys; fence.acq_rel.gpu; membar.cta;", 75, ""), ("fence-cluster", " fence.acq_rel.cluster; fence.proxy.async; fence.mbarrier_init.release.cluster;", 90, ""),
    ("local-array", " .local .align 4 .b8 la[400]; mul.wide.u32 %p1, %x1, 4; mov.u64 %p2, la; add.u64 %p2, %p2, %p1; st.local.u32 [%p2], %x1; ld.local.u32 %x1, [la+8];", 75, ""),
    ("shared-array", " .shared .align 4 .b8 sa[400]; st.shared.u32 [sa+4], %x1; bar.sync 0; ld.shared.u32 %x1, [sa+8];", 75, ""), ("module-constant", " ld.const.u32 %x2, [mc+4]; add.u32 %x1, %x1, %x2;", 75, ""),
    ("long-constant", " mov.f64 %d1, 0d3ff123456789abcd; cvt.rn.f64.u32 %d2, %x1; fma.rn.f64 %d2, %d2, %d1, 0d400921fb54442d18; cvt.rzi.u32.f64 %x1, %d2;", 75, ""),
    ("bar-arrive", " bar.arrive 3, 64; barrier.sync 15;", 75, ""), ("istypep", " istypep.texref %q1, %p0; selp.u32 %x1, 1, 0, %q1;", 75, ""),
    ("video", " vadd.u32.u32.u32.sat %x1, %x1.b0, %x1.h1;", 75, ""), ("szext", " szext.wrap.u32 %x1, %x1, 7;", 75, ""), ("dp4a", " dp4a.u32.u32 %x1, %x1, %x1, %x1;", 75, ""),
    ("st-bulk", " .shared .align 8 .b8 sb[64]; st.bulk.shared::cta [sb], 64, 0;", 100, ""), ("st-async", " .shared .align 8 .b64 mb; .shared .align 8 .b8 sb[64]; st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [sb], %x1, [mb];", 90, ""),
    ("printf", " .local .align 8 .b8 lf[8]; mov.u64 %p1, fmt; cvta.global.u64 %p1, %p1; mov.u64 %p2, lf; cvta.local.u64 %p2, %p2; { .param .b64 pa; .param .b64 pb; .param .b32 pr; st.param.b64 [pa], %p1; st.param.b64 [pb], %p2; call (pr), vprintf, (pa, pb); ld.param.b32 %x1, [pr]; }", 75, ""),
    ("malloc", " { .param .b64 pa; .param .b64 pr; st.param.b64 [pa], 16; call (pr), malloc, (pa); ld.param.b64 %p1, [pr]; } { .param .b64 pa; st.param.b64 [pa], %p1; call free, (pa); }", 75, ""),
]
MODULE = (".const .align 4 .u32 mc[4] = {1, 2, 3, 4};\n.global .align 1 .b8 fmt[3] = {104, 105, 0};\n.extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);\n"
          ".extern .func (.param .b64 r) malloc(.param .b64 a);\n.extern .func free(.param .b64 a);\n")


def instructions():
    for name, body, since, only in INSTRUCTIONS:
        pointer = " cvt.u64.u32 %p0, %x1;" if "%p0" in body else ""
        yield case("instruction/" + name, prototype("f") + entry("k1", call("f")) + entry("k3"), MODULE + function("f", pointer + body) + entry("k2", body), since=since, only=only)


# Pragmas, at the top of a module, of a function and of a block.
PRAGMAS = ["nounroll", "used_bytes_mask 0xfff", "frequency 5"]


def other_directives():
    yield case("pragma/module", '.pragma "nounroll";\n' + prototype("f") + entry("k1", call("f")), '.pragma "nounroll";\n' + function("f") + entry("k2"))
    for text in PRAGMAS:
        pragma = ' .pragma "%s";\n' % text
        yield case("pragma/" + text.split()[0], prototype("f") + entry("k1", pragma + " ld.global.u32 %x1, [%p0];" + call("f")), function("f", pragma))
    lines = '.file 1 "a.cu"\n.file 2 "b.h"\n'
    located = " .loc 1 7 3\n add.u32 %x1, %x1, 1;\n .loc 2 9 1\n add.u32 %x1, %x1, 5;"
    inlined = " .loc 1 7 3\n add.u32 %x1, %x1, 1;\n .loc 2 9 1, function_name $info_string0, inlined_at 1 7 3\n mul.lo.u32 %x1, %x1, 5;"
    strings = '.section .debug_str {\n info_string0:\n.b8 102, 0\n}\n'.replace("info_string0", "$info_string0")
    for name, body, sections in (("loc", located, ""), ("inlined_at", inlined, strings)):
        for flags in ((), ("-lineinfo",), ("-g",)):
            yield case("debug/%s/%s" % (name, "".join(flags).strip("-") or "plain"), lines + prototype("f") + entry("k1", body + call("f")) + sections, lines + function("f", body) + entry("k2", body) + sections, flags=flags)
    for name in (".debug_abbrev", ".debug_info", ".debug_loc", ".debug_macinfo", ".debug_ranges", ".debug_pubnames", ".nv_debug_ptx_txt"):
        section = ".section %s {\n .b8 1, 2, 0\n .b32 5\n .b64 6\n .b16 9\n}\n" % name
        for flags in ((), ("-g",)):
            yield case("section/%s/%s" % (name[1:], "".join(flags).strip("-") or "plain"), prototype("f") + entry("k1", call("f")) + section, function("f") + entry("k2") + section, flags=flags)
    yield case("debug/labels/g", prototype("f") + entry("k1", call("f")) + ".section .debug_info {\n .b32 9\n .b8 1\n .b64 k1\n .b32 .debug_loc\n}\n.section .debug_loc {\n .b8 0\n}\n", function("f"), flags=("-g",))
    for mode in ("texmode_unified", "texmode_independent"):
        yield with_mode(case("target/" + mode, prototype("f") + entry("k1", call("f")), function("f") + entry("k2")), mode)
    for version in ("6.3", "7.0", "7.8", "8.0", "8.3", "8.7", "8.8"):
        one = case("version/" + version, prototype("f") + entry("k1", call("f")), function("f") + entry("k2"))
        yield Case(one.name, (one.files[0].replace("9.0", version, 1), one.files[1]), *one[2:])


# Options of ptxas that change code or records: every one of `ptxas --help` but those about messages and files.
FLAGS = ["-O0", "-O1", "-O2", "-O3", "-Ofc=0", "-Ofc=min", "-Ofc=mid", "-Ofc=max", "-allow-expensive-optimizations=true", "-allow-expensive-optimizations=false", "-annotate", "-dlcm=ca", "-dlcm=cg",
         "-dlcm=cs", "-dlcm=cv", "-dscm=wb", "-dscm=cg", "-dscm=cs", "-dscm=wt", "-g", "-lineinfo", "-g -lineinfo", "-func-maxrregcount=24", "-func-maxrregcount=archmax", "-func-maxrregcount=archmin", "-device-stack-protector=true",
         "-device-stack-protector=false", "-disable-optimizer-consts", "-no-bb-merge", "-ewp", "-ewp -g", "-fmad=true", "-fmad=false", "-flcm=cg", "-flcm=cv", "-fscm=cs", "-fscm=wt", "-g-tmem-access-check", "-gno-tmem-access-check",
         "-legacy-bar-warp-wide-behavior", "-make-errors-visible-at-exit", "-maxntid=128", "-maxntid=8,8,2", "-maxrregcount=24", "-maxrregcount=32", "-maxrregcount=255", "-maxrregcount=archmax", "-maxrregcount=archmin",
         "-minnctapersm=4", "-maxntid=256 -minnctapersm=4", "-opt-fp-atomics", "-override-directive-values -maxntid=64", "-override-directive-values -maxrregcount=40", "-pic=true", "-pic=false", "-preserve-relocs", "-regUsageLevel=0",
         "-regUsageLevel=10", "-ret-end", "-g -no-bb-merge -ret-end", "-sanitize=memcheck", "-sanitize=threadsteer", "-sp-bounds-check", "-split-compile=0", "-split-compile=4", "-suppress-debug-info", "-g -suppress-debug-info",
         "-pic=true -g", "-ewp -pic=true", "-enable-func-clone-sc=true", "-apply-controls"]
USES = (".extern .global .align 8 .u64 v;\n.extern .const .align 8 .b8 c[16];\n.extern .shared .align 4 .b8 d[];\n.shared .align 4 .b8 w[12];\n" + prototype("f") + prototype("rec") + ".visible .global .u64 table[2] = {f, rec};\n"
        + entry("k1", " bar.sync 1; ld.global.u64 %p1, [v]; cvt.u32.u64 %x2, %p1; add.u32 %x1, %x1, %x2;" + load(".const", "c") + load(".shared", "d") + load(".shared", "w") + call("f") + call("rec"), ".maxntid 512")
        + entry("k3", load(".shared", "w") + " .local .align 4 .b8 la[64]; mul.wide.u32 %p1, %x1, 4; mov.u64 %p2, la; add.u64 %p2, %p2, %p1; st.local.u32 [%p2], %x1; ld.local.u32 %x1, [la+8]; cvt.rn.f32.u32 %f1, %x1;"
                " mul.f32 %f2, %f1, %f1; add.f32 %f2, %f2, %f1; cvt.rzi.u32.f32 %x1, %f2;"))
DEFINES = (".visible .global .align 8 .u64 v = 9;\n.visible .const .align 8 .b8 c[16] = {1, 2};\n.shared .align 4 .b8 w[40];\n" + prototype("rec", ".visible") + function("f", load(".shared", "w") + load(".const", "c") + " bar.sync 2;")
           + function("rec", " setp.eq.u32 %q1, %x1, 0; @%q1 bra out; sub.u32 %x1, %x1, 1;" + call("rec") + "\n out:") + entry("k2", call("f")))


def options():
    for flags in FLAGS:
        name = flags.replace("-", "").replace(" ", "+")
        yield case("option/" + name, USES, DEFINES, flags=tuple(flags.split()))


def cases():
    for table in (variables, dynamic_memory, initialisers, functions, kernels, images, instructions, other_directives, options):
        yield from table()
