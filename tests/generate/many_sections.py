#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes device ELF files with more sections than 16 bits can number.

  many_sections.py --sections 70000 --out FILE             written here, in about a second
  many_sections.py --sections 70000 --out FILE --nvlink    linked by nvlink from ptxas objects

Beyond 65,279 sections the ELF header's count is zero and the real one stands in the size of section
0, and symbols name their section through .symtab_shndx. The file written here is a relocatable object
for sm_80 with a code and an nv.info section for every function; nvlink's has kernels.
"""

import argparse
import os
import shutil
import struct
import sys
import tempfile

from toolchain import ToolError, Toolchain

SHT_PROGBITS, SHT_SYMTAB, SHT_STRTAB, SHT_NOTE, SHT_SYMTAB_SHNDX = 1, 2, 3, 7, 18
SHT_CUDA_INFO = 0x70000000
SHN_LORESERVE, SHN_XINDEX = 0xff00, 0xffff
SHF_TEXT, SHF_INFO_LINK = 6, 0x40
SYMTAB, SYMTAB_SHNDX, CUINFO, FIRST = 3, 4, 6, 7     # section numbers of the file written here
TARGET = 80
REGISTERS = 8
NOP = struct.pack("<QQ", 0x7918, 0x000fc00000000000)
CODE = NOP * 8
INFO = struct.pack("<BBHI", 4, 0x37, 4, 130)           # CUDA_API_VERSION

KERNELS_PER_FILE = 1500    # ptxas takes time in proportion to the square
SECTIONS_PER_KERNEL = 3    # of nvlink's output for sm_80: code, nv.info, constant bank 0


class Strings:
    def __init__(self):
        self.data = bytearray(1)

    def add(self, text):
        at = len(self.data)
        self.data += text.encode() + b"\0"
        return at


class File:
    """Section contents one after the other, headers at the end."""

    def __init__(self):
        self.names = Strings()
        self.body = bytearray(64)
        self.headers = [[0] * 10]

    def add(self, name, kind, flags, content, link=0, info=0, align=1, entry=0):
        self.body += bytes(-len(self.body) % align)
        self.headers.append([self.names.add(name), kind, flags, 0, len(self.body), len(content),
                             link, info, align, entry])
        self.body += content

    def finish(self):
        # The name table is section 1, but complete only now: its bytes go to the end.
        self.headers[1][4], self.headers[1][5] = len(self.body), len(self.names.data)
        self.body += self.names.data
        self.body += bytes(-len(self.body) % 8)
        count = len(self.headers)
        if count >= SHN_LORESERVE:
            self.headers[0][5] = count
        identity = b"\x7fELF\x02\x01\x01\x41\x08" + bytes(7)
        struct.pack_into("<16sHHIQQQIHHHHHH", self.body, 0, identity, 1, 190, 1, 0, 0,
                         len(self.body), CUINFO << 24 | TARGET << 8 | 4, 64, 56, 0, 64,
                         0 if count >= SHN_LORESERVE else count, 1)
        for header in self.headers:
            self.body += struct.pack("<IIQQQQIIQQ", *header)
        return bytes(self.body)


def notes():
    strings = b"\0generator\0" + b"1\0" + b"1\0" + b"\0"
    strings += bytes(-len(strings) % 4)
    words = struct.pack("<6I", 2, 0, 1, 11, 13, 15)
    toolkit = struct.pack("<III", 12, len(words) + len(strings), 2000) + b"NVIDIA Corp\0" + words + strings
    cuda = struct.pack("<III", 12, 8, 1000) + b"NVIDIA Corp\0" + struct.pack("<HHI", 2, TARGET, 130)
    return toolkit, cuda


def synthesize(section_count):
    """Returns a relocatable object with that many sections (an odd count from 9 on)."""
    functions = (section_count - FIRST) // 2
    strings, symbols, indices = Strings(), bytearray(24), bytearray(4)
    for number in range(functions):
        section = FIRST + functions + number
        far = section >= SHN_LORESERVE
        symbols += struct.pack("<IBBHQQ", strings.add("f%d" % number), 0x12, 0,
                               SHN_XINDEX if far else section, 0, len(CODE))
        indices += struct.pack("<I", section if far else 0)
    toolkit, cuda = notes()
    file = File()
    file.add(".shstrtab", SHT_STRTAB, 0, b"")
    file.add(".strtab", SHT_STRTAB, 0, strings.data)
    file.add(".symtab", SHT_SYMTAB, 0, symbols, 2, 1, 8, 24)
    file.add(".symtab_shndx", SHT_SYMTAB_SHNDX, 0, indices, SYMTAB, 0, 4, 4)
    file.add(".note.nv.tkinfo", SHT_NOTE, 0x2000000, toolkit, align=4)
    file.add(".note.nv.cuinfo", SHT_NOTE, 0x1000000, cuda, CUINFO - 1, align=4)
    for number in range(functions):
        file.add(".nv.info.f%d" % number, SHT_CUDA_INFO, SHF_INFO_LINK, INFO, SYMTAB,
                 FIRST + functions + number, 4)
    for number in range(functions):
        file.add(".text.f%d" % number, SHT_PROGBITS, SHF_TEXT, CODE, SYMTAB,
                 REGISTERS << 24 | (number + 1), 128)
    return file.finish()


def link_many(tools, section_count, output, options=()):
    """The same through ptxas and nvlink: empty kernels in files of moderate size."""
    kernels = section_count // SECTIONS_PER_KERNEL + 1
    with tempfile.TemporaryDirectory() as folder:
        inputs = []
        for first in range(0, kernels, KERNELS_PER_FILE):
            stem = "part%d" % (first // KERNELS_PER_FILE)
            with open(os.path.join(folder, stem + ".ptx"), "w", encoding="utf-8") as file:
                file.write(".version 8.0\n.target sm_75\n.address_size 64\n")
                for number in range(first, min(first + KERNELS_PER_FILE, kernels)):
                    file.write(".visible .entry k%d() { ret; }\n" % number)
            tools.assemble(folder, stem + ".ptx", stem + ".cubin", "sm_%d" % TARGET)
            inputs.append(stem + ".cubin")
        tools.link(folder, inputs, "out.cubin", "sm_%d" % TARGET, options)
        shutil.move(os.path.join(folder, "out.cubin"), output)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--sections", type=int, default=70001)
    parser.add_argument("--nvlink", action="store_true", help="compile and link instead of writing")
    parser.add_argument("--relocatable", action="store_true", help="link with -r")
    parser.add_argument("--out", required=True)
    options = parser.parse_args()
    try:
        if options.nvlink:
            link_many(Toolchain(), options.sections, options.out,
                      ["-r"] if options.relocatable else [])
        else:
            with open(options.out, "wb") as file:
                file.write(synthesize(options.sections))
    except ToolError as error:
        print("error: %s" % error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
