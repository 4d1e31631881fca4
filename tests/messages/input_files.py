# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Fatbins, host objects and archives for the cases of input_cases.py, put together field by field, so
that any field can be wrong. Packed payloads are frames and blocks that hold their bytes as they are:
writing those takes no library.
"""

import os
import struct

ELF, PTX, LTO = 2, 1, 8
LZ4, ZSTD = 0x2000, 0x8000
IS64, LINUX = 0x1, 0x10

PTX_TEXT = b""".version 9.0
.target sm_90
.address_size 64
.visible .global .align 4 .u32 gvar = 1;
.visible .func foo() { ret; }
"""


def padded(data, align=8):
    return data + bytes(-len(data) % align)


def zstd(data):
    """One frame of raw blocks, with the size of the content in its header."""
    out = struct.pack("<IBQ", 0xfd2fb528, 0xe0, len(data))
    blocks = [data[i:i + 0x10000] for i in range(0, len(data), 0x10000)] or [b""]
    for i, block in enumerate(blocks):
        out += struct.pack("<I", len(block) << 3 | (i == len(blocks) - 1))[:3] + block
    return out


def lz4(data):
    """One block of literals."""
    rest = len(data) - 15
    if rest < 0:
        return bytes([len(data) << 4]) + data
    return b"\xf0" + b"\xff" * (rest // 255) + bytes([rest % 255]) + data


def entry(data, kind=ELF, sm=90, flags=IS64 | LINUX, pack=0, ident=b"", options=None, **fields):
    """A member. `fields` replace what would be right: version, header, size, packed, unpacked, major,
    minor, extra, options_at, ident_at, ident_size."""
    variable, ident_at, options_at = b"", 0, 0
    if kind in (PTX, LTO) and options is None:
        options = b""  # nvlink crashes without the record
    if ident:
        ident_at = 64
        variable += padded(ident + b"\0")
    if options is not None:
        options_at = 64 + len(variable)
        variable += padded(struct.pack("<II", options_at + 8, len(options)) + options + b"\0")
    payload = zstd(data) if pack == ZSTD else lz4(data) if pack == LZ4 else data
    get = fields.get
    head = struct.pack(
        "<HHIQIIHHIIIQQQ", kind, get("version", 0x0101), get("header", 64 + len(variable)),
        get("size", len(padded(payload))), get("packed", len(payload) if pack else 0),
        get("options_at", options_at), get("minor", 8), get("major", 1), sm,
        get("ident_at", ident_at), get("ident_size", len(ident)), flags | pack, get("extra", 0),
        get("unpacked", len(data) if pack else 0))
    return head + variable + padded(payload)


def fatbin(*entries, magic=0xba55ed50, version=1, header=16, size=None):
    body = b"".join(entries)
    head = struct.pack("<IHHQ", magic, version, header, len(body) if size is None else size)
    return padded(head, header) + body


def elf(sections, kind=1, machine=62, bits=64, data=1):
    """A host file: header, data, names, section table. `sections`: (name, bytes)."""
    order = "<" if data == 1 else ">"
    head, row = ("HHIQQQIHHHHHH", "IIQQQQIIQQ") if bits == 64 else ("HHIIIIIHHHHHH", "IIIIIIIIII")
    out = bytearray(16 + struct.calcsize(order + head))
    names, rows = b"\0", [(0,) * 10]
    for name, content in list(sections) + [(".shstrtab", None)]:
        at = len(names)
        names += name.encode() + b"\0"
        content = names if content is None else content
        out += bytes(-len(out) % 8)
        rows.append((at, 3 if name == ".shstrtab" else 1, 0, 0, len(out), len(content), 0, 0, 1, 0))
        out += content
    out += bytes(-len(out) % 8)
    table = len(out)
    for fields in rows:
        out += struct.pack(order + row, *fields)
    out[:16] = b"\x7fELF" + bytes([2 if bits == 64 else 1, data, 1]) + bytes(9)
    struct.pack_into(order + head, out, 16, kind, machine, 1, 0, 0, table, 0,
                     16 + struct.calcsize(order + head), 0, 1 if kind != 1 else 0,
                     struct.calcsize(order + row), len(rows), len(rows) - 1)
    return bytes(out)


def rdc_sections(code, ident=b"_id", kernels=b"\0"):
    """What nvcc -rdc=true puts into an object."""
    return [("__nv_module_id", ident + b"\0"), ("__nv_relfatbin", code),
            (".nvFatBinSegment", bytes(24)), (".nvHRKI", b"\0"), (".nvHRKE", kernels)]


def member(name, data, size=None, end="`\n"):
    head = "%-16s%-12s%-6s%-6s%-8s%-10s%s" % (name, 0, 0, 0, 644,
                                              len(data) if size is None else size, end)
    return head.encode() + data + b"\n" * (len(data) % 2)


def archive(*members, magic=b"!<arch>\n"):
    return magic + b"".join(member(name + "/", data) for name, data in members)


def patched(data, *changes):
    """Bytes with (offset, bytes) put in."""
    out = bytearray(data)
    for offset, value in changes:
        out[offset:offset + len(value)] = value
    return bytes(out)


class Folder:
    """Where the inputs are written."""

    def __init__(self, path):
        self.path = path

    def get(self, name):
        with open(os.path.join(self.path, name), "rb") as file:
            return file.read()

    def put(self, name, data):
        path = os.path.join(self.path, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(data)
