#!/usr/bin/env python3
"""Writes fatbins for tests, with fields that `cubin pack` has no options for.

    tests/fatbin.py OUT SM=FILE[,lz4][,name=SOURCE][,options=TEXT]...

An entry is a cubin for sm_SM; FILE.ptx is PTX for compute_SM. With lz4 it is packed (as literals, so that
no library is needed); name is the source that the entry names, options what it records of the compiler's.
"""
import struct
import sys

MAGIC = 0xba55ed50
PTX, CUBIN = 1, 2
PACKED = 0x2000


def lz4(data):
    """Literals only."""
    rest = len(data) - 15
    return b"\xf0" + b"\xff" * (rest // 255) + bytes([rest % 255]) + data


def entry(kind, sm, data, packed=None, name=b"", options=None):
    stored = packed or data
    stored += bytes(-len(stored) % 8)
    extra = name + bytes(8 - len(name) % 8) if name else b""
    record = 0
    if options is not None:
        record = 64 + len(extra)
        extra += struct.pack("<II", record + 8, len(options)) + options + bytes(8 - len(options) % 8)
    return struct.pack("<HHIQIIHHIIIQQQ", kind, 0x101, 64 + len(extra), len(stored),
                       len(packed) if packed else 0, record, 8, 1, sm, 64 if name else 0, len(name),
                       0x11 | (PACKED if packed else 0), 0, len(data) if packed else 0) + extra + stored


def main():
    entries = b""
    for argument in sys.argv[2:]:
        sm, _, rest = argument.partition("=")
        path, *extras = rest.split(",")
        with open(path, "rb") as file:
            data = file.read()
        is_ptx = path.endswith(".ptx")
        data += b"\0" if is_ptx else b""
        fields = dict(extra.split("=", 1) for extra in extras if "=" in extra)
        options = fields.get("options")
        entries += entry(PTX if is_ptx else CUBIN, int(sm), data, lz4(data) if "lz4" in extras else None,
                         fields.get("name", "").encode(), None if options is None else options.encode())
    with open(sys.argv[1], "wb") as file:
        file.write(struct.pack("<IHHQ", MAGIC, 1, 16, len(entries)) + entries)


if __name__ == "__main__":
    main()
