# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Whether two linked files for sm_100 or later differ in how their code is scheduled, and in nothing
else.

nvlink schedules linked code again: it chooses other scoreboards, which are bits 105 to 125 of an
instruction of 128. A file with the code as it was compiled must be the same in all other bits.
"""

import struct

SECTION = struct.Struct("<IIQQQQIIQQ")
OFFSET, SIZE, FLAGS = 4, 5, 2
EXECUTABLE = 0x4
INSTRUCTION = 16
OPCODE = 0xfff
FIRST_BIT, LAST_BIT = 105, 125
SCHEDULING = ((1 << (LAST_BIT + 1)) - (1 << FIRST_BIT)).to_bytes(INSTRUCTION, "little")


def code_sections(data):
    """(begin, end) of every section with code."""
    table, = struct.unpack_from("<Q", data, 40)
    count, = struct.unpack_from("<H", data, 60)
    for i in range(count):
        section = SECTION.unpack_from(data, table + SECTION.size * i)
        if section[FLAGS] & EXECUTABLE:
            yield section[OFFSET], section[OFFSET] + section[SIZE]


def without_scheduling(code):
    """Code whose bits of scheduling are all 0."""
    count = len(code) // INSTRUCTION
    mask = int.from_bytes(SCHEDULING * count, "little")
    word = int.from_bytes(code[:count * INSTRUCTION], "little")
    return (word & ~mask).to_bytes(count * INSTRUCTION, "little") + code[count * INSTRUCTION:]


def schedule(code):
    """What a finalizer may change: opcodes and bits of scheduling, instruction by instruction."""
    mask = int.from_bytes(SCHEDULING, "little") | OPCODE
    return [int.from_bytes(code[at:at + INSTRUCTION], "little") & mask
            for at in range(0, len(code), INSTRUCTION)]


def with_plain_code(data):
    out = bytearray(data)
    for begin, end in code_sections(data):
        out[begin:end] = without_scheduling(data[begin:end])
    return bytes(out)


def differ_in_scheduling_only(first, second):
    return len(first) == len(second) and with_plain_code(first) == with_plain_code(second)
