# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""One row for each limit: the smallest program on either side of it, and nvlink's answer.

Programs are text that `cubin assemble` understands, so no compiler is needed. The messages were
recorded from nvlink 13.0.88; check_limits.py compares with nvlink itself where it is installed.
"""

from programs import BANK, SAMPLERS, SURFACES, TEXTURES, shared_limit

FATAL, ERRORS = 1, 255   # nvlink's exit statuses


def document(target, lines):
    return "\n".join(["arch: " + target] + lines) + "\n"


def user_constants(target, over):
    return document(target, ["constants:", "- {name: c, size: %d}" % (BANK + over)])


def compiler_constants(target, over):
    half = BANK // 2
    return document(target, [
        "functions:",
        "- {name: f, code: nop, constants: [{name: t, size: %d, align: 4}]}" % half,
        "- {name: k, kernel: true, code: nop, calls: [f], "
        "constants: [{name: u, size: %d, align: 4}]}" % (half + 4 * over)])


def parameters(target, over):
    """Bank 0 of a kernel. No compiler makes one so large, and so it takes the exact form."""
    number = int(target[3:].rstrip("af"))
    compat = ["- {name: .nv.compat, compat: [%s]}" % ", ".join(
        "{attr: %s, value: %d}" % pair for pair in
        [("CUDA_ACCELERATOR_TARGET", target.endswith("a")), ("ISA_CLASS", 1),
         ("INST_TCGEN05_MMA", 5), ("MERCURY_ISA_MAJOR_MINOR_VERSION", 0x101),
         ("INST_TENSORMAP_V1", 0), ("ENABLE_OPPORTUNISTIC_FINALIZATION", 1),
         ("CAN_FASTPATH_FINALIZE", 0)])]
    return document(target, [
        "cubin: exact",
        "header: {flags: %#x}" % (0x5000004 | number << 8),
        "sections:",
        "- {name: .shstrtab}",
        "- {name: .strtab}",
        "- name: .symtab",
        "  symbols:",
        "  - {name: k, type: FUNC, section: .text.k, size: 0x10, other: kernel}",
        "- {name: .note.nv.tkinfo, notes: [{tkinfo: {tool: cubin}}]}",
        "- {name: .note.nv.cuinfo, notes: [{cuinfo: {virtual_arch: %d, toolkit: 130}}]}" % number,
        "- name: .nv.info",
        "  attributes:",
        "  - {attr: REGCOUNT, symbol: k, value: 16}",
        "  - {attr: FRAME_SIZE, symbol: k, value: 0}",
        "  - {attr: MIN_STACK_SIZE, symbol: k, value: 0}"] +
        (compat if number >= 90 else []) + [
        "- {name: .nv.info.k, attributes: [{attr: CUDA_API_VERSION, value: 0x82}]}",
        "- {name: .nv.callgraph, callgraph: {calls: [], address_taken: [], indirect_calls: [], "
        "indirect_targets: []}}",
        "- {name: .nv.constant0.k, data: zero x%d}" % (BANK + over),
        "- {name: .text.k, registers: %d, code: nop}" % (16 if number < 90 else 0)])


def shared(target, over):
    limit = shared_limit(target)
    return document(target, [
        "shared:",
        "- {name: s, size: %d}" % (4 + over),
        "functions:",
        "- {name: f, code: nop, relocs: [{at: 0, type: ABS32_32, to: s}]}",
        "- {name: k, kernel: true, calls: [f], code: nop, shared: [{name: t, size: %d, align: 1}]}" %
        (limit - 4)])


def images(target, word, count):
    lines = ["functions:", "- name: k", "  kernel: true", "  code: nop", "  relocs:",
             "  - {at: 0, type: ABS16_32, to: i0}", "undefined:"]
    return document(target, lines + ["- {name: i%d, type: CUDA_%s}" % (i, word)
                                     for i in range(count)])


def textures(target, over):
    return images(target, "TEXTURE", TEXTURES + over)


def samplers(target, over):
    return images(target, "SAMPLER", SAMPLERS + over)


def surfaces(target, over):
    return images(target, "SURFACE", SURFACES + over)


def registers(target, over):
    return document(target, [
        "functions:",
        "- {name: f, registers: %d, code: nop}" % (32 + over),
        "- {name: k, kernel: true, calls: [f], code: nop, "
        "attributes: [{attr: MAXREG_COUNT, value: 32}]}"])


def stack(target, over):
    return document(target, [
        "attributes: [{attr: MAX_STACK_SIZE, symbol: k, value: 96}]",
        "functions:",
        "- {name: f, frame: %d, code: nop}" % (32 + over),
        "- {name: k, kernel: true, frame: 64, calls: [f], code: nop}"])


# The kind, its program, the id of culink's message, nvlink's exit status, and its message.
ROWS = [
    ("user-constants", user_constants, "too-much-constant", ERRORS,
     lambda target: "error   : File uses too much global constant data (0x10001 bytes, "
                    "0x10000 max)"),
    ("compiler-constants", compiler_constants, "too-many-compiler-constants", ERRORS,
     lambda target: "error   : Entry function 'k' uses too much data for compiler-generated "
                    "constants; please recompile with -Xptxas --disable-optimizer-constants"),
    ("parameters", parameters, "too-much-bank-of-function", ERRORS,
     lambda target: "error   : Entry function 'k' uses too much constant data (0x10001 bytes, "
                    "0x10000 max)"),
    ("shared", shared, "too-much-shared", ERRORS,
     lambda target: "error   : Entry function 'k' uses too much shared data (%#x bytes, %#x max)" %
     (shared_limit(target) + 1, shared_limit(target))),
    ("textures", textures, "too-many-images", FATAL,
     lambda target: "fatal   : More than 256 textures used in entry function 'k'"),
    ("samplers", samplers, "too-many-images", FATAL,
     lambda target: "fatal   : More than 32 samplers used in entry function 'k'"),
    ("surfaces", surfaces, "too-many-images", FATAL,
     lambda target: "fatal   : More than 32 surfaces used in entry function 'k'"),
    ("registers", registers, "register-limit", ERRORS,
     lambda target: "error   : entry function 'k' with max regcount of 32 calls function 'f' with "
                    "regcount of 33"),
    ("stack", stack, "stack-limit", ERRORS,
     lambda target: "error   : Function 'k' uses 97 bytes stack but limited to 96"),
]
