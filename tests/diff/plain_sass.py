# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Objects of sm_100 and later without their Mercury half.

nvlink writes machine code alone if an input has nothing else, and no compiler makes such inputs for
these targets. So the tests make them: the sections .nv.merc.* and .nv.capmerc.* go away, the others
keep their order and are numbered anew, and e_flags say what is left.
"""

import struct

HEADER = 64
SECTION = struct.Struct("<IIQQQQIIQQ")  # sh_name ... sh_entsize
NAME, TYPE, FLAGS, ADDRESS, OFFSET, SIZE, LINK, INFO, ALIGN, ENTRY = range(10)
SYMBOL_SIZE, SYMBOL_SECTION = 24, 6
SYMTAB, RELA, REL = 2, 4, 9
NO_BYTES = (8, 0x70000007, 0x7000000a, 0x70000015)
INFO_LINK = 0x40
FIRST_RESERVED = 0xff00
KIND_AT, KIND_MERCURY, KIND_SASS = 48, 2, 4
MERCURY = (b".nv.merc.", b".nv.capmerc.")


def is_mercury(data):
    return data[:4] == b"\x7fELF" and data[KIND_AT] & 6 == KIND_MERCURY


def renumber_symbols(table, number_of):
    for at in range(SYMBOL_SECTION, len(table), SYMBOL_SIZE):
        section = struct.unpack_from("<H", table, at)[0]
        if 0 < section < FIRST_RESERVED:
            struct.pack_into("<H", table, at, number_of.get(section, 0))


def to_plain_sass(data):
    """The same object as a compiler without Mercury would have written it."""
    table, = struct.unpack_from("<Q", data, 40)
    count, names = struct.unpack_from("<HH", data, 60)
    sections = [list(SECTION.unpack_from(data, table + SECTION.size * i)) for i in range(count)]
    strings = sections[names][OFFSET]
    name_of = lambda s: data[strings + s[NAME]:data.index(b"\0", strings + s[NAME])]
    kept = [i for i, s in enumerate(sections) if not name_of(s).startswith(MERCURY)]
    number_of = {old: new for new, old in enumerate(kept)}
    out, headers = bytearray(data[:HEADER]), b""
    for section in (sections[i] for i in kept):
        content = bytearray(data[section[OFFSET]:section[OFFSET] + section[SIZE]])
        if section[TYPE] == SYMTAB:
            renumber_symbols(content, number_of)
        out += bytes(-len(out) % max(section[ALIGN], 1))
        section[OFFSET] = len(out) if section[TYPE] else 0
        if section[TYPE] and section[TYPE] not in NO_BYTES:
            out += content
        section[LINK] = number_of.get(section[LINK], 0)
        if section[FLAGS] & INFO_LINK or section[TYPE] in (REL, RELA):
            section[INFO] = number_of.get(section[INFO], 0)
        headers += SECTION.pack(*section)
    out += bytes(-len(out) % 8)
    struct.pack_into("<Q", out, 40, len(out))
    struct.pack_into("<HH", out, 60, len(kept), number_of[names])
    out[KIND_AT] = out[KIND_AT] & ~3 | KIND_SASS
    return bytes(out + headers)
