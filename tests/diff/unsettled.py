# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Bytes of nvlink's output that are whatever its memory held.

Of two copies of a function in files with debug information one counts. nvlink looks the places in the
code that .nv_debug_info_reg_sass names for the other copy up in a table with one row for each 16 bytes
of Mercury code of the copy that counts, and reads behind its end where the other copy is longer (Q106).
The Mercury form of the table has the same records with the places that were looked up, so that such
fields can be told from all others. Most of them differ from run to run; some hold a number of another
table each time.
"""

import struct

from rewritten import File, REGISTERS

MERCURY_REGISTERS, MERCURY_SYMBOLS = ".nv.merc.nv_debug_info_reg_sass", ".nv.merc.symtab"
FUNCTION = 2
FIELD = 4


def blocks(content):
    """(function, [(register, place of the fields, start, end)]) of each function."""
    at, out = 0, []
    while at < len(content):
        end = content.index(b"\0", at)
        function = content[at:end].decode()
        count, = struct.unpack_from("<I", content, end + 1)
        at = end + 1 + FIELD
        records = []
        for _ in range(count):
            at = content.index(b"\0", at + FIELD) + 1
            register, start, end = struct.unpack_from("<III", content, at)
            records.append((register, at + FIELD, start, end))
            at += 3 * FIELD
        out.append((function, records))
    return out


def unsettled_bytes(data):
    """Places in a linked file that nobody can predict."""
    file = File(data)
    if any(name not in file.names for name in (REGISTERS, MERCURY_REGISTERS, MERCURY_SYMBOLS)):
        return set()
    at = file.names.index(REGISTERS)
    sizes = {}  # of the first function of each name
    for name, info, _, _, _, size in file.symbols(file.names.index(MERCURY_SYMBOLS)):
        if info & 15 == FUNCTION:
            sizes.setdefault(name, size)
    out = set()
    for (function, records), (_, origins) in zip(
            blocks(file.content(at)), blocks(file.content(file.names.index(MERCURY_REGISTERS)))):
        # Those of machine code are sorted.
        origins = sorted(origins, key=lambda record: (record[0], record[2]))
        for (_, place, *_), (_, _, *looked_up) in zip(records, origins):
            for number, value in enumerate(looked_up):
                if function in sizes and value >= sizes[function]:
                    first = file.headers[at][4] + place + number * FIELD
                    out.update(range(first, first + FIELD))
    return out
