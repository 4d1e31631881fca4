# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The inputs of the cases: small texts for `cubin assemble`, and damaged copies of what it makes."""

import os
import struct
import subprocess

# name: text. Each becomes name.cubin.
TEXTS = {
    "main": "arch: sm_90\nfunctions:\n"
            "- {name: main_kernel, kernel: true, params: [8], code: nop x4, calls: [foo],\n"
            "   relocs: [{at: 0x10, type: ABS32_LO_32, to: gvar}]}\nundefined: [foo, gvar]\n",
    "other": "arch: sm_90\nfunctions:\n- {name: foo, registers: 40, frame: 16, code: nop x4}\n"
             "globals:\n- {name: gvar, data: 01000000}\n",
    "other80": "arch: sm_80\nfunctions:\n- {name: foo, code: nop x4}\n",
    "single": "arch: sm_90\nfunctions:\n- {name: lone, kernel: true, params: [8], code: nop x4}\n",
    "twice": "arch: sm_90\nfunctions:\n- {name: foo, code: nop x4}\n- {name: bar, code: nop x4}\n"
             "globals:\n- {name: gvar, data: 01000000}\n",
    "third": "arch: sm_90\nfunctions:\n- {name: foo, code: nop x4}\n",
    "wide": "arch: sm_90\nglobals:\n- {name: gvar, size: 16, data: 01000000}\n",
    "sized": "arch: sm_90\nfunctions:\n"
             "- {name: sized_kernel, kernel: true, code: nop x4,\n"
             "   relocs: [{at: 0x10, type: ABS32_LO_32, to: gvar}]}\n"
             "undefined: [{name: gvar, type: OBJECT, size: 16}]\n",
    "constant": "arch: sm_90\nconstants:\n- {name: gvar, size: 4, data: 01000000}\n",
    "managed": "arch: sm_90\nglobals:\n- {name: gvar, size: 4, managed: true, data: 01000000}\n",
    "kernelfoo": "arch: sm_90\nfunctions:\n- {name: foo, kernel: true, code: nop x4}\n",
    "common32": "arch: sm_90\nglobals:\n- {name: cm, size: 32, common: true}\n",
    "common16": "arch: sm_90\nglobals:\n- {name: cm, size: 16, data: 0102}\n",
    "weak1": "arch: sm_90\nfunctions:\n- {name: foo, bind: WEAK, code: nop x4}\n",
    "twice_unused": "arch: sm_90\nfunctions:\n- {name: nobody, code: nop x4}\n"
                    "globals:\n- {name: nothing, data: 01000000}\n",
    "lacks": "arch: sm_90\nfunctions:\n"
             "- {name: lacks, kernel: true, code: nop x8, calls: [ff],\n"
             "   relocs: [{at: 0x10, type: ABS32_LO_32, to: gg},\n"
             "            {at: 0x20, type: ABS32_LO_32, to: cc}]}\n"
             "undefined: [ff, gg, {name: cc, type: OBJECT, size: 4}]\n",
    "unneeded": "arch: sm_90\nfunctions:\n- {name: un, kernel: true, code: nop x4}\n"
                "undefined: [nowhere]\n",
    "funcgvar": "arch: sm_90\nfunctions:\n- {name: gvar, code: nop x4}\n- {name: foo, code: nop x4}\n",
    "single2": "arch: sm_90\nfunctions:\n- {name: lone, kernel: true, code: nop x8}\n",
    "const0b": "arch: sm_90\nconstants:\n- {name: c0, size: 30000, data: 02}\n",
    "weak4": "arch: sm_90\nglobals:\n- {name: gvar, size: 4, bind: WEAK, data: 01000000}\n",
    "weak8": "arch: sm_90\nglobals:\n- {name: gvar, size: 8, bind: WEAK, data: 01000000}\n",
    "align16": "arch: sm_90\nglobals:\n- {name: al, size: 64, align: 16, bind: WEAK, data: 01}\n",
    "align64": "arch: sm_90\nglobals:\n- {name: al, size: 64, align: 64, bind: WEAK, data: 01}\n",
    "common8": "arch: sm_90\nglobals:\n- {name: cm, size: 8, common: true}\n",
    "caller": "arch: sm_90\nfunctions:\n"
              "- {name: ck, kernel: true, code: nop x4, calls: [pf]}\n"
              "undefined: [{name: pf, type: FUNC, prototype: ~i4~o4}]\n",
    "callee": "arch: sm_90\nfunctions:\n- {name: pf, code: nop x4, prototype: ~i8i4~o8}\n",
    "regs2": "arch: sm_90\nfunctions:\n"
             "- {name: few, kernel: true, code: nop x4, calls: [between],\n"
             "   attributes: [{attr: MAXREG_COUNT, value: 32}]}\n"
             "- {name: between, registers: 20, code: nop x4, calls: [many]}\n"
             "- {name: many, registers: 200, code: nop x4}\n",
    "reloc": "arch: sm_90\nfunctions:\n- {name: rp, kernel: true, code: nop x4,\n"
             "   relocs: [{at: 0x10, type: ABS32_LO_32, to: gv}]}\n"
             "globals:\n- {name: gv, data: 01000000}\n",
    "extra": "arch: sm_90\nfunctions:\n- {name: extra, kernel: true, code: nop x4}\n",
    "recursive": "arch: sm_90\nfunctions:\n"
                 "- {name: rk, kernel: true, code: nop x4, calls: [f1]}\n"
                 "- {name: f1, code: nop x4, calls: [f2]}\n- {name: f2, code: nop x4, calls: [f1]}\n",
    "recursive2": "arch: sm_90\nfunctions:\n"
                  "- {name: rk1, kernel: true, frame: 8, code: nop x4, calls: [f1, leaf, f2, f1]}\n"
                  "- {name: rk2, kernel: true, code: nop x4, calls: [way]}\n"
                  "- {name: way, code: nop x4, calls: [f2, f1]}\n"
                  "- {name: leaf, frame: 100, code: nop x4}\n"
                  "- {name: f1, frame: 16, code: nop x4, calls: [f2]}\n"
                  "- {name: f2, frame: 32, code: nop x4, calls: [f1, leaf]}\n",
    "pointers": "arch: sm_90\nfunctions:\n"
                "- {name: pk, kernel: true, code: nop x4, indirect_calls: [~i4~o4, ~i8~o8]}\n"
                "- {name: p1, code: nop x4, address_taken: ~i4~o4, indirect_calls: [~i4~o4]}\n"
                "- {name: p2, code: nop x4, address_taken: ~i4~o4, calls: [p1]}\n"
                "- {name: p3, code: nop x4, address_taken: ~i4~o4}\n"
                "- {name: p4, code: nop x4, address_taken: ~i8~o8}\n",
    "deep": "arch: sm_90\nfunctions:\n"
            "- {name: dk, kernel: true, frame: 8, code: nop x4, calls: [d1]}\n"
            "- {name: d1, frame: 0x70000000, code: nop x4, calls: [d2]}\n"
            "- {name: d2, frame: 0x70000000, code: nop x4}\n",
    "texture": "arch: sm_90\nundefined:\n- {name: gvar, type: CUDA_TEXTURE}\n",
    "texture2": "arch: sm_90\nundefined:\n- {name: gvar, type: CUDA_TEXTURE}\n",
    "surface": "arch: sm_90\nundefined:\n- {name: gvar, type: CUDA_SURFACE}\n",
    "sampler": "arch: sm_90\nundefined:\n- {name: gvar, type: CUDA_SAMPLER}\n",
    "common48": "arch: sm_90\nglobals:\n- {name: cm, size: 48, common: true}\n",
    "shared1": "arch: sm_90\nfunctions:\n"
               "- {name: sk, kernel: true, code: nop x4, shared: [{name: big, size: 60000}]}\n",
    "regs": "arch: sm_90\nfunctions:\n"
            "- {name: few, kernel: true, code: nop x4, calls: [many],\n"
            "   attributes: [{attr: MAXREG_COUNT, value: 32}]}\n"
            "- {name: many, registers: 200, code: nop x4}\n",
    "cxx": "arch: sm_90\nfunctions:\n"
           "- {name: _Z4kernPi, kernel: true, code: nop x4, calls: [_Z4bfunf]}\n"
           "- {name: _Z4bfunf, code: nop x4, registers: 32}\n",
}
for number in range(3):
    TEXTS["const%d" % number] = ("arch: sm_90\nconstants:\n- {name: c%d, size: 30000, data: 01}\n"
                                 % number)

EI_OSABI, EI_ABIVERSION, E_TYPE, E_FLAGS = 7, 8, 16, 48


def patched(data, offset, value):
    return data[:offset] + bytes([value]) + data[offset + 1:]


def note_offset(data):
    """Where the content of .note.nv.cuinfo begins: its section is named by the top of e_flags."""
    flags, = struct.unpack_from("<I", data, E_FLAGS)
    table, = struct.unpack_from("<Q", data, 40)
    offset, = struct.unpack_from("<Q", data, table + 64 * (flags >> 24) + 24)
    return offset


def content_of(data, name):
    """Where the content of a section begins."""
    table, = struct.unpack_from("<Q", data, 40)
    count, names = struct.unpack_from("<HH", data, 60)

    def field(index, offset, form):
        return struct.unpack_from(form, data, table + 64 * index + offset)[0]
    strings = field(names, 24, "<Q")
    for index in range(count):
        at = strings + field(index, 0, "<I")
        if data[at:data.index(b"\0", at)].decode() == name:
            return field(index, 24, "<Q")
    raise KeyError(name)


def make(cubin, source, folder):
    """Fills a folder with all inputs."""
    def put(name, data):
        with open(os.path.join(folder, name), "wb") as file:
            file.write(data)

    def get(path):
        with open(path, "rb") as file:
            return file.read()

    for name, text in TEXTS.items():
        put(name + ".yaml", text.encode())
        subprocess.run([cubin, "assemble", name + ".yaml", "-o", name + ".cubin"], cwd=folder,
                       check=True)
    good = get(os.path.join(folder, "single.cubin"))
    junk = b"this is no device code, whatever its name says; it is a line of text\n" * 2
    for ending in ("cubin", "fatbin", "ptx", "o", "ltoir", "bc", "a"):
        put("junk." + ending, junk)
    put("tiny.cubin", b"tiny")
    put("empty.cubin", b"")
    put("abi.cubin", patched(good, EI_ABIVERSION, 9))
    note = note_offset(good)
    put("newer.cubin", patched(good, note + 0x1c, 131))
    put("older.cubin", patched(good, note + 0x18, 1))
    put("nonote.cubin", patched(good, E_FLAGS + 3, 0))
    put("linked.cubin", patched(good, E_TYPE, 2))
    put("program.cubin", get("/proc/self/exe")[:20000])
    for name in ("main", "filter"):
        put("host_%s.o" % name,
            get(os.path.join(source, "examples", "vector_math", "fat", name + ".o")))
    compat = content_of(good, ".nv.compat")
    put("isa.cubin", patched(good, good.index(b"\2\2", compat) + 1, 0x7e))
    registers = good.index(b"\x04\x2f\x08\0", content_of(good, ".nv.info"))
    put("noregs.cubin", patched(good, registers + 1, 0x7f))
    reloc = get(os.path.join(folder, "reloc.cubin"))
    try:
        at = content_of(reloc, ".rel.text.rp")
    except KeyError:
        at = content_of(reloc, ".rela.text.rp")
    put("relocpast.cubin", patched(reloc, at + 1, 0x10))
    put("reloctype.cubin", patched(reloc, at + 8, 250))
    put("more.txt", b"extra.cubin")
    put("nested.txt", b"-arch=sm_90 -optf more.txt single.cubin")
    put("apostrophe.txt", b"'single.cubin'")
    put("words.txt", b'-v "single.cubin" -arch=sm_90')
    put("self.txt", b"-optf self.txt")
    put("quote.txt", b'-v "single')
    put("escape.txt", b"-arch=sm_90 sin\\gle.cubin")
